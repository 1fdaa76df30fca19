/** Where discs lie on the first photo, in parts of the frame: middle and height. */
export const DISCS: Record<number, readonly (readonly [x: number, y: number, height: number])[]> = {
  1: [[0.66, 0.6, 0.6]],
  2: [
    [0.29, 0.33, 0.48],
    [0.7, 0.68, 0.5],
  ],
  3: [
    [0.27, 0.28, 0.44],
    [0.73, 0.36, 0.44],
    [0.45, 0.75, 0.44],
  ],
  4: [
    [0.26, 0.26, 0.4],
    [0.74, 0.26, 0.4],
    [0.26, 0.74, 0.4],
    [0.74, 0.74, 0.4],
  ],
}
