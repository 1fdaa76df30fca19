import { between } from './colour.ts'
import { tenth, unit, wave } from './numbers.ts'
import { isSkyTaken } from '../cast/outdoors.ts'
import { circle, outline, path, pillPath, rect, stroke, verticalGradient } from './shapes.ts'
import { isHidden, isInSight, lattice, layer, type View } from './view.ts'

/** Draws everything behind the land: air, stars, sun or moon, clouds and a flock of birds. */
export function drawSky(view: View): string[] {
  return [
    drawAir(view),
    view.isNight && !isHidden(view.scene, 'stars') ? drawStars(view) : '',
    view.isSunny ? drawSun(view) : '',
    drawClouds(view),
    view.isNight || isOvercast(view) || view.fast ? '' : drawBirds(view),
  ]
}

function drawAir(view: View): string {
  const { left, top, right, bottom, palette } = view
  const gradient = verticalGradient('sky', 0, view.horizon, [palette.skyTop, palette.skyLow])
  return gradient + rect(left - 5, top - 5, right - left + 10, bottom - top + 10, 'url(#sky)')
}

function drawStars(view: View): string {
  const { detailSeed, horizon, palette, time } = view
  let stars = ''
  let sparkles = ''
  for (const { column, row, x, y, salt } of lattice(view, {
    depth: 0.03,
    width: 88,
    height: 88,
    bottom: horizon,
  })) {
    const chance = unit(detailSeed + salt, column, row)
    const starX = x + unit(detailSeed + salt + 1, column, row) * 80
    const starY = y + unit(detailSeed + salt + 2, column, row) * 80
    if (chance < 0.06) {
      sparkles += outline`M${starX},${starY - 11}q2,9 11,11q-9,2 -11,11q-2,-9 -11,-11q9,-2 11,-11Z`
    } else if (chance < 0.62) {
      if (isInSight(view, 0.03, { x: starX, y: starY, reach: 4 }))
        stars += circle(starX, starY, 1.3 + chance * 3.4, palette.light)
    }
  }
  const twinkling = `<g fill-opacity="${tenth(0.8 + 0.2 * wave(time * 2))}">${stars}</g>`
  return layer(view, 0.03, twinkling, path(sparkles, palette.light))
}

/** Draws the disc of the sun with three pale halos, which rises slightly. A moon has two seas. */
function drawSun(view: View): string {
  const { palette, scene, sun } = view
  const y = sun.y - 26 * view.time
  const isMoon = view.isNight && scene.family !== 'space'
  return layer(
    view,
    0.05,
    ...[3.2, 2.25, 1.5].map((factor) =>
      circle(sun.x, y, sun.radius * factor, palette.sun, { opacity: 0.09 }),
    ),
    circle(sun.x, y, sun.radius, between(palette.sun, palette.light, 0.25)),
    isMoon ? circle(sun.x - 24, y - 14, 13, palette.skyLow, { opacity: 0.28 }) : '',
    isMoon ? circle(sun.x + 22, y + 20, 20, palette.skyLow, { opacity: 0.22 }) : '',
  )
}

function isOvercast({ scene }: View): boolean {
  if (scene.family === 'space') return false
  return scene.weather === 'rain' || scene.weather === 'storm'
}

function drawClouds(view: View): string {
  if (isHidden(view.scene, 'clouds')) return ''
  return isOvercast(view) ? drawOvercast(view) : drawFairClouds(view)
}

function drawFairClouds(view: View): string {
  const { palette, horizon, isNight } = view
  const clouds =
    cloudPaths(view, { top: horizon * 0.06, bottom: horizon * 0.72, share: 0.42, thickness: 32 }) +
    cloudPaths(view, { ...ABOVE_THE_FRAME, share: 0.2, thickness: 26 })
  return layer(
    view,
    0.16,
    path(clouds, between(palette.skyLow, palette.light, 0.5), { opacity: isNight ? 0.16 : 0.66 }),
  )
}

function drawOvercast(view: View): string {
  const { palette, horizon } = view
  const clouds = cloudPaths(view, { bottom: horizon * 0.42, share: 0.95, thickness: 92 })
  return layer(view, 0.16, path(clouds, between(palette.skyTop, palette.skyLow, 0.35), { opacity: 0.8 }))
}

/** The heights of a few clouds outside the frame, for cameras that zoom out or look up. */
const ABOVE_THE_FRAME = { top: -3000, bottom: -290 }

/** The maximum overhang of a cloud beyond its cell. */
const CLOUD_REACH = 330

/** Draws clouds. Each consists of three bars with round ends. */
function cloudPaths(
  view: View,
  { share, thickness, ...heights }: { top?: number; bottom: number; share: number; thickness: number },
): string {
  const { detailSeed, time } = view
  return lattice(view, { depth: 0.16, width: 430, height: 150, reach: CLOUD_REACH, ...heights })
    .map(({ column, row, x, y, salt }) => {
      const chance = unit(detailSeed + salt + 5, column, row)
      if (chance > share) return ''
      const left = x + unit(detailSeed + salt + 6, column, row) * 260 - 26 * time
      const top = y + 36 + unit(detailSeed + salt + 7, column, row) * 80
      const length = 130 + chance * 260
      return (
        pillPath(left, top, length, thickness) +
        pillPath(left + length * 0.2, top - thickness * 0.62, length * 0.56, thickness * 1.1) +
        pillPath(left + length * 0.36, top + thickness * 0.5, length * 0.8, thickness * 0.66)
      )
    })
    .join('')
}

const FLOCK = 5
function drawBirds(view: View): string {
  if (isHidden(view.scene, 'birds') || isSkyTaken(view)) return ''
  const { width, horizon, detailSeed, sun } = view
  // On the opposite side of the sun.
  const across = (sun.x > width / 2 ? 0.06 : 0.54) + 0.16 * unit(detailSeed, 60)
  const place = { x: width * across, y: horizon * (0.18 + 0.28 * unit(detailSeed, 61)) }
  const birds = Array.from({ length: FLOCK }, (_, i) => {
    const x = place.x + i * 44 - (i % 2) * 22 + 30 * view.time
    const y = place.y + ((i * 37) % 60)
    const wing = 11 + (i % 3) * 4
    const lift = 6 + 5 * wave(view.time * 5 + i * 0.3)
    const up = y - lift
    return outline`M${x - wing},${up}Q${x - wing / 3},${up} ${x},${y}Q${x + wing / 3},${up} ${x + wing},${up}`
  })
  return layer(view, 0.25, stroke(birds.join(''), view.palette.ink, 3.5, { opacity: 0.75 }))
}
