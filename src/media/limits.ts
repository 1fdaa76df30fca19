/** What media takes and keeps unless its maker is told otherwise. */
export const mediaLimits = {
  imagePixels: 40_000_000,
  memoryBytes: 64_000_000,
  cacheBytes: 512_000_000,
  /** Pictures that clients sent, beside a state that goes on. */
  keptBytes: 2_000_000_000,
  rendersAtOnce: 2,
  picturesAtOnce: 2,
  stallTimeoutMs: 30_000,
} as const
