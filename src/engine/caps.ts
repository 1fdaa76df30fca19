export const megabyte = 1024 * 1024

/**
 * The caps on what clients and files bring. They are enforced where a body or a file is read, so that no input crashes the
 * process, stops it for more than a second, or makes it grow without bound. Options of the config replace some of them.
 */
export const caps = {
  /** A body, also when unpacked: `limits.bodyMegabytes`. */
  bodyBytes: 32 * megabyte,
  /** The bodies of all requests in memory: `limits.bodiesMegabytes`. */
  bodiesBytes: 512 * megabyte,
  controlBodyBytes: megabyte,
  snapshotBytes: 256 * megabyte,
  /** Each value costs far more time and memory than its few bytes. */
  jsonValues: 100_000,
  /** Walking a value uses the stack. */
  jsonDepth: 100,
  /** A form of type application/x-www-form-urlencoded. Large forms contain files and have the other type. */
  formBytes: 4 * megabyte,
  formFields: 1_000,
  /** The headers of all parts of a form. Real forms have a tenth of this. */
  formHeaderBytes: megabyte / 4,
  /** An image, decoded from base64: `limits.imageMegabytes`. */
  imageBytes: 20 * megabyte,
  imagePixels: 40_000_000,
  /** Chunks, segments, boxes or frames of an image, and one more for each 2 KB. */
  imageParts: 10_000,
  /** The files that clients upload to APIs of users, in memory. The oldest are dropped. */
  uploadBytes: 64 * megabyte,
  uploads: 10_000,
  /** The prompt of a video or drawing: `limits.promptCharacters`. */
  promptCharacters: 32_000,
  /** The texts of a text request. */
  textCharacters: 4_000_000,
  schemaPlaces: 10_000,
  schemaDepth: 64,
  /** A scenario or config file. */
  fileBytes: megabyte,
  /** Its keys, values, colons and line breaks. A key with a number has seven tokens, including its line break and blanks. */
  fileTokens: 60_000,
  fileDepth: 220,
}

/** A cap in bytes, or the option in megabytes that replaces it. */
export function bytesOf(megabytes: number | undefined, cap: number): number {
  return megabytes === undefined ? cap : megabytes * megabyte
}
