import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createRawServer, type AddressInfo, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import sharp from 'sharp'
import { expect, it, vi } from 'vitest'
import { isPublicAddress } from '../../src/media/received/fetch-connection.ts'
import { allowedHosts } from '../../src/media/received/fetch-allow.ts'
import { nodeMedia, type NodeMediaOptions } from '../../src/media/node.ts'
import { PictureFetch, type PictureFetchOptions } from '../../src/media/received/picture-fetch.ts'
import { ImageRefused } from '../../src/media/source.ts'

const picture = await sharp({ create: { width: 12, height: 8, channels: 3, background: '#d04030' } })
  .png()
  .toBuffer()

function open(options: NodeMediaOptions) {
  const media = nodeMedia({ ffmpeg: 'wasm', cacheDir: false, ...options })
  return Object.assign(media, { [Symbol.asyncDispose]: () => media.close() })
}

/** A fetch with inner options; it may reach this machine by default. */
function fetcher({ allow = ['127.0.0.1'], ...options }: Inner = {}): PictureFetch {
  return new PictureFetch({
    allow: allowedHosts(allow),
    maxBytes: 1_000_000,
    receive: (bytes) => nodeMedia({ ffmpeg: 'wasm', cacheDir: false }).receiveImage(bytes),
    ...options,
  })
}

type Inner = Partial<Omit<PictureFetchOptions, 'allow'>> & { allow?: string[] }

async function listening(server: Server): Promise<{ port: number } & AsyncDisposable> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** A server on loopback that records its requests. */
async function serving(listener: RequestListener) {
  const received: IncomingMessage[] = []
  const server = createServer((request, response) => {
    received.push(request)
    listener(request, response)
  })
  const { port } = await listening(server)
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    received,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const servePicture: RequestListener = (_request, response) => void response.end(picture)

/** `/3` leads to `/2`, and so on to the picture at `/0`. */
const countDown: RequestListener = (request, response) => {
  const left = Number(request.url?.slice(1))
  if (left === 0) response.end(picture)
  else redirect(response, `/${left - 1}`)
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { Location: location }).end('moved')
}

const refusal = (message: RegExp) =>
  expect.objectContaining({ name: 'ImageRefused', message: expect.stringMatching(message) })

it('can fetch nothing by default', () => {
  expect(nodeMedia({ ffmpeg: 'wasm' }).fetchImage).toBeUndefined()
  expect(nodeMedia({ ffmpeg: 'wasm', fetchImages: false }).fetchImage).toBeUndefined()
})

it('refuses loopback unless it was named, and says how to name it', async () => {
  await using server = await serving(servePicture)
  await using media = open({ fetchImages: true })

  await expect(media.fetchImage!(`${server.url}/fox.png`)).rejects.toThrow(
    refusal(
      /The picture at http:\/\/127\.0\.0\.1:\d+\/fox\.png can't be fetched: 127\.0\.0\.1 is not a public address\. Name 127\.0\.0\.1 in fetchImages\.allow, or send the picture itself, as base64\./,
    ),
  )
  expect(server.received).toEqual([])
})

it('fetches from a host that was named, and takes the picture as if it had been sent', async () => {
  await using server = await serving(servePicture)
  await using media = open({ fetchImages: { allow: ['127.0.0.1'] } })

  const fetched = await media.fetchImage!(`${server.url}/fox.png?size=1`)

  expect(fetched).toEqual(await media.receiveImage(picture))
  expect(fetched).toMatchObject({ width: 12, height: 8 })
  expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /fox.png?size=1'])
})

it('applies the limits of sent pictures, in bytes and in pixels', async () => {
  await using server = await serving(servePicture)
  const fetchImages = { allow: ['127.0.0.1'] }
  await using few = open({ fetchImages, imageBytes: 50 })
  await using small = open({ fetchImages, imagePixels: 95 })

  await expect(few.fetchImage!(server.url)).rejects.toThrow(refusal(/larger than 0\.0 MB/))
  await expect(small.fetchImage!(server.url)).rejects.toThrow(
    refusal(/What http:\/\/127\.0\.0\.1:\d+\/ answered can't be taken\. .*too large: 12x8/),
  )
})

it('identifies itself and sends nothing else', async () => {
  await using server = await serving(servePicture)

  await fetcher().fetch(server.url)

  expect(server.received[0]!.headers).toEqual({
    host: `127.0.0.1:${server.port}`,
    'user-agent': 'greenroom',
    accept: 'image/*',
    'accept-encoding': 'identity',
    connection: 'close',
  })
})

it('refuses to start with something else than hosts among those that are allowed', () => {
  for (const name of [
    'http://a.test',
    'a.test:80',
    'a.test/x',
    '10.0.0.0/8',
    '*.test',
    '',
    'a b',
    'u@a.test',
  ]) {
    expect(() => nodeMedia({ ffmpeg: 'wasm', fetchImages: { allow: [name] } }), name).toThrow(
      /".*" is no host: give a host name or an IP address alone/,
    )
  }
})

it('knows a named host however it is written', () => {
  const names = ['Pictures.Internal', 'dotted.test.', '127.1', '::1', '[fd00:0::1]', 'bücher.test']

  expect([...allowedHosts(names)]).toEqual([
    'pictures.internal',
    'dotted.test',
    '127.0.0.1',
    '::1',
    'fd00::1',
    'xn--bcher-kva.test',
  ])
})

it('follows three redirects, and no fourth', async () => {
  await using server = await serving(countDown)

  expect(await fetcher().fetch(`${server.url}/3`)).toMatchObject({ width: 12, height: 8 })
  await expect(fetcher().fetch(`${server.url}/4`)).rejects.toThrow(
    refusal(/\/4, redirected to .*\/1, can't be fetched: it redirects more than 3 times\. Give the address/),
  )
  expect(server.received.map(({ url }) => url)).toEqual(['/3', '/2', '/1', '/0', '/4', '/3', '/2', '/1'])
})

for (const [where, location, reason] of [
  ['a private address', 'http://10.0.0.1/secret', /10\.0\.0\.1 is not a public address/],
  ['the metadata of a cloud', 'http://169.254.169.254/latest', /169\.254\.169\.254 is not a public/],
  ['a name that is private', 'http://inside.test/', /inside\.test is 192\.168\.0\.7, which is not a public/],
  ['a file', 'file:///etc/passwd', /file: is neither http: nor https:/],
  ['a place with a password', 'http://me:secret@127.0.0.1/', /a user name or a password/],
  ['no address', 'http://[', /redirects to "http:\/\/\[", which is not an address/],
] as const) {
  it(`refuses to be redirected to ${where}`, async () => {
    await using server = await serving((_request, response) => redirect(response, location))
    const resolve = async () => ['192.168.0.7']

    const refused = await fetcher({ resolve }).fetch(server.url).catch(String)

    expect(refused).toMatch(/^ImageRefused: The picture at http:\/\/127\.0\.0\.1:\d+\//)
    expect(refused).toMatch(reason)
    expect(refused).not.toContain('secret@')
  })
}

it('refuses a picture that is announced as too large, before any of it has come', async () => {
  await using server = await serving((_request, response) => {
    response.writeHead(200, { 'Content-Length': 1_000_001 }).flushHeaders()
  })

  await expect(fetcher().fetch(server.url)).rejects.toThrow(
    refusal(/it is larger than 1\.0 MB, the most that is taken\. Give a smaller picture\./),
  )
})

it('stops reading a picture without a length as soon as it is too large', async () => {
  let left = false
  await using server = await serving((_request, response) => {
    const pour = () => void response.write(Buffer.alloc(100_000))
    response.on('drain', pour).on('close', () => (left = true))
    pour()
  })

  await expect(fetcher().fetch(server.url)).rejects.toThrow(refusal(/larger than 1\.0 MB/))

  await vi.waitFor(() => expect(left).toBe(true))
})

it('reads no further than was announced, and refuses what is then cut off', async () => {
  const answer = Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 60\r\n\r\n'), picture])
  await using server = await listening(createRawServer((socket) => socket.resume().end(answer)))

  await expect(fetcher().fetch(`http://127.0.0.1:${server.port}/`)).rejects.toThrow(
    refusal(/damaged or cut off|can't be fetched: Parse Error/),
  )
})

it('refuses a picture that is shorter than was announced', async () => {
  await using server = await serving((_request, response) => {
    response.writeHead(200, { 'Content-Length': picture.length + 10 })
    response.write(picture, () => response.destroy())
  })

  await expect(fetcher().fetch(server.url)).rejects.toThrow(refusal(/can't be fetched: aborted\./))
})

for (const [what, listener] of [
  ['an answer that never begins', () => {}],
  ['an answer that never ends', (_request, response) => void response.write(picture)],
  [
    'an answer that drips',
    (_request, response) => {
      const drip = () => void (response.writable && response.write('.') && setTimeout(drip, 5))
      drip()
    },
  ],
] satisfies [string, RequestListener][]) {
  it(`waits for ${what} no longer than the time limit`, async () => {
    await using server = await serving(listener)
    await expect(fetcher({ timeLimitMs: 60 }).fetch(server.url)).rejects.toThrow(
      refusal(/can't be fetched: it took longer than 0\.06 s\. Try again, or send/),
    )
  })
}

it('counts redirects and the resolver into the time limit', async () => {
  await using server = await serving((request, response) => {
    setTimeout(() => countDown(request, response), 40)
  })
  const resolve = () => new Promise<never>(() => {})

  await expect(fetcher({ timeLimitMs: 100 }).fetch(`${server.url}/3`)).rejects.toThrow(refusal(/took longer/))
  await expect(fetcher({ timeLimitMs: 40, resolve }).fetch('http://pictures.test/')).rejects.toThrow(
    refusal(/took longer/),
  )
})

it('fetches four at a time, and the others after them', async () => {
  const held: (() => void)[] = []
  await using server = await serving((_request, response) => void held.push(() => response.end(picture)))
  const fetching = fetcher()
  const fetched = Promise.all(Array.from({ length: 9 }, () => fetching.fetch(server.url)))

  for (const most of [4, 4, 1]) {
    await vi.waitFor(() => expect(held).toHaveLength(most))
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(held).toHaveLength(most)
    for (const release of held.splice(0)) release()
  }

  expect(await fetched).toHaveLength(9)
})

it('lets those that wait behind slow ones go at their own time limit', async () => {
  await using server = await serving(() => {})
  const fetching = fetcher({ timeLimitMs: 60 })

  const refused = await Promise.all(
    Array.from({ length: 9 }, () => fetching.fetch(server.url).catch((error: Error) => error.message)),
  )

  expect(refused.filter((message) => /took longer/.test(String(message)))).toHaveLength(9)
})

it('ends what is under way when it is closed', async () => {
  await using server = await serving(() => {})
  const media = open({ fetchImages: { allow: ['127.0.0.1'] } })
  const fetched = media.fetchImage!(server.url).catch((error: unknown) => error)
  await vi.waitFor(() => expect(server.received).toHaveLength(1))

  await media.close()

  expect(await fetched).toEqual(refusal(/because greenroom is closing/))
})

it('refuses what is not an image, whatever its media type', async () => {
  await using server = await serving((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'image/png' }).end('<svg xmlns="http://www.w3.org/2000/svg"/>')
  })

  await expect(fetcher().fetch(server.url)).rejects.toThrow(
    refusal(
      /What http:\/\/127\.0\.0\.1:\d+\/ answered can't be taken\. The image is not a picture: send PNG/,
    ),
  )
})

it('refuses every status but 200, and says which it was', async () => {
  await using server = await serving((request, response) => {
    response.writeHead(Number(request.url?.slice(1))).end(picture)
  })
  // A redirect that leads nowhere is an answer like another.
  for (const status of [201, 206, 302, 304, 401, 404, 500]) {
    await expect(fetcher().fetch(`${server.url}/${status}`)).rejects.toThrow(
      refusal(new RegExp(`/${status} can't be fetched: the answer was ${status} and not 200\\. Check`)),
    )
  }
})

it('refuses a content encoding that it did not request', async () => {
  await using server = await serving((_request, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(picture)
  })

  await expect(fetcher().fetch(server.url)).rejects.toThrow(
    refusal(/encoded as gzip, although identity was requested/),
  )
})

for (const [what, answer] of [
  ['no HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ['a hang-up', ''],
  ['a switch of protocols', 'HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'],
] as const) {
  it(`refuses an answer that is ${what}`, async () => {
    await using server = await listening(createRawServer((socket) => socket.resume().end(answer)))

    await expect(fetcher().fetch(`http://127.0.0.1:${server.port}/`)).rejects.toThrow(
      refusal(/can't be fetched: .+\. Check that this machine can reach the address, or send/),
    )
  })
}

it('reports a refused connection', async () => {
  const { port, [Symbol.asyncDispose]: stop } = await serving(servePicture)
  await stop()

  await expect(fetcher().fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow(
    refusal(/can't be fetched: connect ECONNREFUSED 127\.0\.0\.1:\d+\. Check/),
  )
})

it.each([
  ['file:///etc/passwd', /file: is neither http: nor https:/],
  ['ftp://127.0.0.1/fox.png', /ftp: is neither/],
  ['data:image/png;base64,AAAA', /data: is neither/],
  ['http://me@127.0.0.1/', /a user name or a password/],
  ['https://me:hush@127.0.0.1/', /a user name or a password/],
  ['http://', /"http:\/\/" can't be read: give a whole http\(s\) URL/],
  ['/fox.png', /"\/fox\.png" can't be read/],
  ['http://1.2.3.4.5/', /can't be read/],
])('refuses %s', async (url, reason) => {
  const refused: unknown = await fetcher()
    .fetch(url)
    .catch((error: unknown) => error)

  expect(refused).toEqual(refusal(reason))
  expect(String(refused)).not.toContain('hush')
})

it('shortens a long address in what it says', async () => {
  const refused: unknown = await fetcher()
    .fetch(`http://10.0.0.1/${'a'.repeat(4000)}`)
    .catch((error: unknown) => error)

  expect(refused).toBeInstanceOf(ImageRefused)
  expect(String(refused).length).toBeLessThan(600)
})

it.each([
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://%31%32%37.0.0.1/',
  'http://①②⑦.0.0.1/',
  'http://0/',
  'http://[::1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:a00:1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[64:ff9b:1::a00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[fe80::1]/',
])('refuses %s, another way to write a private address, without resolving it', async (url) => {
  const resolve = vi.fn(async () => ['8.8.8.8'])

  await expect(fetcher({ allow: [], resolve }).fetch(url)).rejects.toThrow(refusal(/is not a public address/))

  expect(resolve).not.toHaveBeenCalled()
})

it('tells public addresses from all others, at both ends of every range', () => {
  const hidden =
    '0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255 ' +
    '168.63.129.16 169.254.0.0 169.254.169.254 172.16.0.0 172.31.255.255 192.0.0.1 192.0.2.1 192.168.0.0 ' +
    '192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 ' +
    '255.255.255.255 :: ::1 ::ffff:8.8.8.8 ::8.8.8.8 64:ff9b::10.0.0.1 64:ff9b::ac1f:1 100::1 1fff::1 2001::1 ' +
    '2001:1ff::1 2001:db8::1 2002:808:808::1 3fff::1 3fff:fff::1 4000:: fc00::1 fdff::1 fe80::1 fe80::1%eth0 ' +
    '2600::1%eth0 fec0::1 ff02::1 localhost 127.1'
  const open =
    '1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.17 ' +
    '169.253.255.255 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 ' +
    '223.255.255.255 2001:200::1 2001:4860::8888 2003::1 2606:4700::1 3ffe::1 3fff:1000::1 64:ff9b::8.8.8.8 ' +
    '64:ff9b::ac20:1'

  expect([...hidden.split(' '), ''].filter(isPublicAddress)).toEqual([])
  expect(open.split(' ').filter((address) => !isPublicAddress(address))).toEqual([])
})

it('refuses a name that this machine resolves to itself', async () => {
  await expect(fetcher({ allow: [] }).fetch('http://localhost:9/')).rejects.toThrow(
    refusal(
      /localhost is (127\.0\.0\.1|::1), which is not a public address\. Name localhost in fetchImages\.allow/,
    ),
  )
})

it('refuses a public name with a private address among others', async () => {
  const resolve = async () => ['8.8.8.8', '2606:4700::1', '10.0.0.1']

  await expect(fetcher({ resolve }).fetch('https://pictures.test/fox.png')).rejects.toThrow(
    refusal(/pictures\.test is 10\.0\.0\.1, which is not a public address/),
  )
})

it('refuses a name without an address', async () => {
  const unknown = Object.assign(new Error('getaddrinfo ENOTFOUND pictures.test'), { code: 'ENOTFOUND' })

  await expect(
    fetcher({ resolve: () => Promise.reject(unknown) }).fetch('http://pictures.test/'),
  ).rejects.toThrow(refusal(/can't be fetched: getaddrinfo ENOTFOUND pictures\.test\. Check/))
  await expect(fetcher({ resolve: async () => [] }).fetch('http://pictures.test/')).rejects.toThrow(
    refusal(/pictures\.test has no address/),
  )
})

it('fetches from a private name that was named, and tells the server that name', async () => {
  await using server = await serving(servePicture)
  const fetching = fetcher({ allow: ['Pictures.internal'], resolve: async () => ['127.0.0.1'] })

  await fetching.fetch(`http://pictures.INTERNAL.:${server.port}/`)
  await fetching.fetch(`http://pictures.internal:${server.port}/`)

  expect(server.received.at(-1)!.headers.host).toBe(`pictures.internal:${server.port}`)
})

it('does not take a longer name for the one that was named', async () => {
  const fetching = fetcher({ allow: ['pictures.internal'], resolve: async () => ['10.0.0.1'] })

  for (const name of ['a.pictures.internal', 'pictures.internal.test', 'xpictures.internal']) {
    await expect(fetching.fetch(`http://${name}/`)).rejects.toThrow(refusal(/is not a public address/))
  }
})

it('connects to the address it checked, also when the name points elsewhere a moment later', async () => {
  await using server = await serving(servePicture)
  const resolve = vi.fn(async () => ['10.0.0.1']).mockResolvedValueOnce(['127.0.0.1'])

  const fetched = await fetcher({ resolve }).fetch(`http://rebinding.test:${server.port}/`)

  expect(fetched).toMatchObject({ width: 12, height: 8 })
  expect(server.received[0]!.headers.host).toBe(`rebinding.test:${server.port}`)
  expect(resolve).toHaveBeenCalledExactlyOnceWith('rebinding.test')
})

it('checks a name again when a redirect leads to it again', async () => {
  await using server = await serving(countDown)
  const resolve = vi.fn(async () => ['10.0.0.1']).mockResolvedValueOnce(['127.0.0.1'])

  await expect(fetcher({ resolve }).fetch(`http://rebinding.test:${server.port}/1`)).rejects.toThrow(
    refusal(/rebinding\.test is 10\.0\.0\.1/),
  )
  expect(server.received).toHaveLength(1)
})

it('tries the other addresses of a name when one does not answer', async () => {
  await using server = await serving(servePicture)
  const resolve = async () => ['::1', '127.0.0.1']

  const fetched = fetcher({ allow: ['two.test'], resolve }).fetch(`http://two.test:${server.port}/`)

  expect(await fetched).toMatchObject({ width: 12, height: 8 })
})

it('asks for the name in TLS, and refuses when no certificate comes', async () => {
  const names: string[] = []
  const server = createTlsServer({
    SNICallback: (name, done) => {
      names.push(name)
      done(new Error('There is no certificate.'))
    },
  })
  server.on('tlsClientError', () => {})
  await using tls = await listening(server)
  const resolve = async () => ['127.0.0.1']

  await expect(fetcher({ resolve }).fetch(`https://pictures.test:${tls.port}/`)).rejects.toThrow(
    refusal(/The picture at https:\/\/pictures\.test:\d+\/ can't be fetched: .+\. Check that this machine/),
  )
  expect(names).toEqual(['pictures.test'])
})
