import sharp from 'sharp'

/** @typedef {{ picture(spec: object): Promise<{ bytes: Uint8Array }>, receiveImage(bytes: Uint8Array): Promise<any>, receiveMask(bytes: Uint8Array): Promise<{ digest: string }> }} Media */

/**
 * One picture through every operation.
 * @param {Media} media
 * @param {(photo: object, seed: number) => string[]} describePhoto
 * @returns {Promise<{ caption: string, picture: Uint8Array }[]>}
 */
export async function operationCells(media, describePhoto) {
  const base = {
    kind: 'imagine',
    prompt: 'a lighthouse by the sea at dawn',
    model: '7',
    seed: 3,
    width: 1024,
    height: 1024,
  }
  const single = [{ do: 'upscale', tile: 2 }]
  /** @type {{ caption: string, picture: Uint8Array }[]} */
  const cells = []
  /**
   * @param {string} caption
   * @param {object} drawing
   * @param {object} [more]
   */
  async function show(caption, drawing, more = {}) {
    cells.push({ caption, picture: (await media.picture({ kind: 'picture', drawing, ...more })).bytes })
  }
  /**
   * @param {string} caption
   * @param {object[]} edits
   * @param {object} [more]
   */
  const after = (caption, edits, more) => show(caption, { base, edits }, more)

  await after('imagine', [])
  await after('imagine at 15 %', [], { progress: 15 })
  await after('imagine at 46 %', [], { progress: 46 })
  await after('imagine at 78 %', [], { progress: 78 })
  await after('upscale U2', single)
  await after('enlarge, creative', [...single, { do: 'enlarge', creative: true, seed: 5 }])
  await after('vary V2', [{ do: 'vary', tile: 2, strong: false, seed: 5 }])
  await after('vary subtle', [...single, { do: 'vary', strong: false, seed: 6 }])
  await after('vary strong', [...single, { do: 'vary', strong: true, seed: 6 }])
  await after('remix: ... in a storm', [
    ...single,
    { do: 'vary', strong: false, seed: 6, prompt: 'a lighthouse in a storm' },
  ])
  await after('zoom out 1.5x', [...single, { do: 'zoom', factor: 1.5, seed: 7 }])
  await after('zoom out 2x', [...single, { do: 'zoom', factor: 2, seed: 7 }])
  const far = [
    ...single,
    ...[1, 2].flatMap((seed) => [
      { do: 'zoom', factor: 2, seed },
      { do: 'upscale', tile: 1 },
    ]),
  ]
  await after('zoom out 2x, twice', far)
  await after('zoom out 2x, three times', [...far, { do: 'zoom', factor: 2, seed: 8 }])
  await after('custom zoom to 16:9', [...single, { do: 'zoom', factor: 1.4, ratio: 16 / 9, seed: 9 }])
  await after('custom zoom, other prompt', [
    ...single,
    { do: 'zoom', factor: 2, seed: 9, prompt: 'a foggy forest' },
  ])
  for (const towards of ['left', 'right', 'up', 'down']) {
    await after(`pan ${towards}`, [...single, { do: 'pan', towards, seed: 10 }])
  }
  await after('pan right, 3 times', [
    ...single,
    ...[1, 2, 3].flatMap((seed) => [
      { do: 'pan', towards: 'right', seed },
      { do: 'upscale', tile: 3 },
    ]),
  ])
  const maskPicture = await svg(
    '<rect width="1024" height="1024"/><rect x="600" y="330" width="390" height="470" rx="70" fill="#fff"/>',
  )
  const mask = (await media.receiveMask(maskPicture)).digest
  cells.push({ caption: 'a mask', picture: maskPicture })
  await after('inpaint by mask: a whale', [...single, { do: 'inpaint', prompt: 'a whale', mask, seed: 11 }])
  await after('inpaint middle: night', [...single, { do: 'inpaint', prompt: 'a castle at night', seed: 11 }])

  const photos = await photosFor(media)
  const frame = { width: 1024, height: 1024 }
  /** @param {string} caption */
  const photoCell = (caption, /** @type {object} */ image) =>
    show(caption, { base: { kind: 'photo', image, width: 1024, height: 768 }, edits: [] })
  await photoCell('a photo', photos[0])
  await photoCell('another photo', photos[1])
  await show('blend of 2', {
    base: { kind: 'blend', images: photos.slice(0, 2), seed: 1, ...frame },
    edits: [],
  })
  await show('blend of 5', { base: { kind: 'blend', images: photos, seed: 2, ...frame }, edits: [] })
  const edit = { kind: 'edit', image: photos[0], seed: 1, width: 1024, height: 768 }
  await show('edit: add a red fox in the snow', {
    base: { ...edit, prompt: 'a red fox in the snow' },
    edits: [],
  })
  await show('edit: at night, fog', { base: { ...edit, prompt: 'at night, fog' }, edits: [] })
  await show('image prompt, weight 1', {
    base: { ...base, prompt: 'a fox in the hills', images: [photos[1]] },
    edits: [],
  })
  await show('image prompt, weight 2.5', {
    base: { ...base, prompt: 'a fox in the hills', images: [photos[1]], imageWeight: 2.5 },
    edits: [{ do: 'upscale', tile: 1 }],
  })
  const photo = { kind: 'photo', image: photos[1], width: 1024, height: 768 }
  await show('zoom out of a photo', { base: photo, edits: [{ do: 'zoom', factor: 1.5, seed: 1 }] })
  await show('vary a photo', { base: photo, edits: [{ do: 'vary', strong: true, seed: 1 }] })
  const tile = { ...base, prompt: 'a cat', tile: true }
  const cat = (
    await media.picture({ kind: 'picture', drawing: { base: tile, edits: [{ do: 'upscale', tile: 1 }] } })
  ).bytes
  cells.push({ caption: '--tile, laid 2 x 2: a cat', picture: await laid(cat) })
  const lake = { ...base, prompt: 'mountains at dawn', tile: true }
  const hills = (
    await media.picture({ kind: 'picture', drawing: { base: lake, edits: [{ do: 'upscale', tile: 1 }] } })
  ).bytes
  cells.push({ caption: '--tile, laid 2 x 2: mountains', picture: await laid(hills) })
  await show('chaos 100', { base: { ...base, prompt: 'a fox', chaos: 100 }, edits: [] })
  await show('--no fox, trees, birds', {
    base: { ...base, prompt: 'a fox in green hills', without: ['fox', 'trees', 'birds'] },
    edits: [{ do: 'upscale', tile: 1 }],
  })
  await show('a photo that never came', {
    base: {
      ...photo,
      image: { url: 'https://example.com/a-cabin-in-the-snow.jpg', width: 4, height: 3, colours: [] },
    },
    edits: [],
  })
  const [described] = describePhoto({ ...photos[1] }, 1)
  await show(`describe: ${described}`, {
    base: { ...base, prompt: described, width: 1024, height: 768 },
    edits: [],
  })
  return cells
}

/** @param {Uint8Array} picture */
async function laid(picture) {
  const half = await sharp(picture).resize(512, 512).png().toBuffer()
  const places = [0, 1, 2, 3].map((i) => ({ input: half, left: (i & 1) * 512, top: (i >> 1) * 512 }))
  return sharp({ create: { width: 1024, height: 1024, channels: 3, background: '#fff' } })
    .composite(places)
    .png()
    .toBuffer()
}

/** @param {string} drawing */
function svg(drawing, width = 1024, height = 1024) {
  return sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${drawing}</svg>`,
    ),
  )
    .png()
    .toBuffer()
}

/** Five things that look like photos: blurred, with soft light. @param {Media} media */
async function photosFor(media) {
  const blur =
    '<filter id="b" x="-50%" y="-50%" width="200%" height="200%"><feGaussianBlur stdDeviation="22"/></filter>'
  /** @param {string} top @param {string} bottom */
  const air = (top, bottom) =>
    `<defs>${blur}<linearGradient id="g" x2="0" y2="1"><stop stop-color="${top}"/><stop offset="1" stop-color="${bottom}"/></linearGradient></defs><rect width="1024" height="768" fill="url(#g)"/>`
  const bokeh = [...Array(26).keys()].map((i) => {
    const colour = ['#ffd9a0', '#ff9d5c', '#ffe9c9', '#d96b4a'][i % 4]
    return `<circle cx="${(i * 277) % 1024}" cy="${(i * 191) % 768}" r="${26 + ((i * 37) % 60)}" fill="${colour}" opacity=".5"/>`
  })
  const drawings = [
    `${air('#9fc4dd', '#e9e2d0')}<g filter="url(#b)"><ellipse cx="200" cy="760" rx="820" ry="300" fill="#5d7f4a"/><ellipse cx="880" cy="860" rx="700" ry="340" fill="#3f5f3a"/><circle cx="760" cy="180" r="90" fill="#fff6dc"/></g><ellipse cx="520" cy="380" rx="120" ry="150" fill="#c98f6a" filter="url(#b)"/>`,
    `${air('#2a1a2e', '#7a3b2e')}<g filter="url(#b)">${bokeh.join('')}</g>`,
    `${air('#0f6f86', '#bfe6dd')}<g filter="url(#b)"><rect x="-200" y="470" width="1424" height="90" fill="#eafaf4" opacity=".7"/><ellipse cx="500" cy="860" rx="1100" ry="270" fill="#e6cf9c"/></g>`,
    `${air('#d9dde2', '#8d96a3')}<g filter="url(#b)"><rect x="120" y="240" width="150" height="740" fill="#4a525e"/><rect x="380" y="120" width="190" height="860" fill="#5d6673"/><rect x="700" y="300" width="210" height="680" fill="#394049"/></g>`,
    `${air('#f2d9c9', '#c7a08d')}<g filter="url(#b)"><ellipse cx="512" cy="360" rx="170" ry="220" fill="#e8b893"/><ellipse cx="512" cy="190" rx="190" ry="110" fill="#3a2a26"/><ellipse cx="512" cy="860" rx="380" ry="300" fill="#a33c4a"/></g><g fill="#2a1f1c"><ellipse cx="445" cy="340" rx="22" ry="14"/><ellipse cx="580" cy="340" rx="22" ry="14"/></g><path d="M450,470q62,50 124,0" fill="none" stroke="#a0463c" stroke-width="14" stroke-linecap="round"/>`,
  ]
  // Drawn larger and cut, since a blur takes in what is beyond the edge.
  return Promise.all(
    drawings.map(async (drawing) => {
      const large = await svg(`<g transform="translate(100,100)">${drawing}</g>`, 1224, 968)
      const cut = { left: 100, top: 100, width: 1024, height: 768 }
      return media.receiveImage(await sharp(large).extract(cut).png().toBuffer())
    }),
  )
}
