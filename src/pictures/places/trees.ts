import { ellipsePath, boxPath, outline } from './shapes.ts'

// Path data of single trees at x, y, for joining into one path per layer.

/** A conifer of three tiers. */
export function coniferPath(x: number, y: number, height: number): string {
  const [a, b, c] = [height * 0.17, height * 0.15, height * 0.16]
  const [notchA, notchB] = [height * 0.07, height * 0.08]
  const [tierA, tierB] = [height * 0.36, height * 0.3]
  const [eave, trunk] = [height * 0.28, height * 0.1]
  return (
    outline`M${x},${y - height}l${a},${tierA}h${-notchA}l${b},${tierB}h${-notchB}l${c},${tierB}` +
    outline`h${-eave}v${trunk}h${-trunk}v${-trunk}h${-eave}` +
    outline`l${c},${-tierB}h${-notchB}l${b},${-tierB}h${-notchA}Z`
  )
}

/** A tree with a round crown, as two paths because trunk and crown have different colours. */
export function roundTreePaths(x: number, y: number, height: number): { trunk: string; crown: string } {
  return {
    trunk: boxPath(x - height * 0.05, y - height * 0.5, height * 0.1, height * 0.56),
    crown: ellipsePath(x, y - height * 0.66, height * 0.3, height * 0.38),
  }
}

/**
 * A tall trunk that reaches beyond the upper edge of the picture, with a branch and a canopy of three clouds.
 * @param lean 0..1, moves the canopy to either side.
 */
export function tallTreePath(x: number, y: number, height: number, lean: number): string {
  const girth = height * 0.042
  const top = y - height * 2.1
  const trunk =
    outline`M${x - girth * 0.5},${top}H${x + girth * 0.5}L${x + girth * 0.8},${y - height}` +
    outline`Q${x + girth},${y - 40} ${x + girth * 1.6},${y + 24}H${x - girth * 1.6}` +
    outline`Q${x - girth},${y - 40} ${x - girth * 0.8},${y - height}Z`
  const branch =
    outline`M${x},${y - height * 0.82}l${height * 0.11},${-height * 0.36}h${girth * 0.6}` +
    outline`l${-height * 0.08},${height * 0.42}Z`
  return (
    trunk +
    branch +
    ellipsePath(x + (lean - 0.5) * 60, y - height * 1.9, height * 0.36, height * 0.3) +
    ellipsePath(x - girth * 4, y - height * 1.62, height * 0.24, height * 0.18) +
    ellipsePath(x + height * 0.2, y - height * 1.52, height * 0.2, height * 0.15)
  )
}
