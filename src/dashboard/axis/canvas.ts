// The common parts of all drawings of the axis: colors, fonts, and a canvas of the right size.

const names = [
  'waiting',
  'working',
  'working-soft',
  'done',
  'done-soft',
  'failed',
  'failed-soft',
  'purpose',
  'client',
  'text',
  'muted',
  'faint',
  'line',
  'line-soft',
  'surface',
  'ground',
  'brand',
  'brand-on',
  'future',
  'select',
] as const
export type ColorName = (typeof names)[number]

/** The colors of the current theme. */
export const colors = {} as Record<ColorName, string>

/** Reads the colors again after the theme has changed. */
export function readColors(): void {
  const style = getComputedStyle(document.documentElement)
  for (const name of names) colors[name] = style.getPropertyValue(`--${name}`).trim()
}

export function font(size: number, { isMono = false, weight = 450 } = {}): string {
  return `${weight} ${size}px ${isMono ? '"Geist Mono Variable", monospace' : '"Geist Variable", sans-serif'}`
}

export interface Surface {
  readonly ctx: CanvasRenderingContext2D
  readonly width: number
  readonly height: number
}

/** Clears a canvas, and adapts its pixels to its size on the screen. */
export function openCanvas(canvas: HTMLCanvasElement): Surface {
  const scale = devicePixelRatio || 1
  const { clientWidth: width, clientHeight: height } = canvas
  const [pixelWidth, pixelHeight] = [Math.round(width * scale), Math.round(height * scale)]
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight)
    Object.assign(canvas, { width: pixelWidth, height: pixelHeight })
  const ctx = canvas.getContext('2d')!
  ctx.setTransform(scale, 0, 0, scale, 0, 0)
  ctx.clearRect(0, 0, width, height)
  return { ctx, width, height }
}

export function drawLine(
  ctx: CanvasRenderingContext2D,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): void {
  ctx.beginPath()
  ctx.moveTo(x0, y0)
  ctx.lineTo(x1, y1)
  ctx.stroke()
}

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Draws diagonal lines, so that a failed bar differs not only by its color. */
export function hatch(ctx: CanvasRenderingContext2D, { x, y, width, height }: Box, color: string): void {
  ctx.save()
  ctx.beginPath()
  ctx.rect(x, y, width, height)
  ctx.clip()
  ctx.strokeStyle = color
  ctx.lineWidth = 1
  ctx.beginPath()
  for (let at = Math.floor(x / 5) * 5 - height; at < x + width; at += 5) {
    ctx.moveTo(at, y + height)
    ctx.lineTo(at + height, y)
  }
  ctx.stroke()
  ctx.restore()
}

export function traceDiamond(ctx: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  ctx.beginPath()
  ctx.moveTo(x, y - size)
  ctx.lineTo(x + size, y)
  ctx.lineTo(x, y + size)
  ctx.lineTo(x - size, y)
  ctx.closePath()
}
