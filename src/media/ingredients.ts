/** The bytes that a picture is made of: photos by their digests, masks by their names. */
export type Ingredients = ReadonlyMap<string, Uint8Array>

/** The name of a mask; the same file may have been sent as a photo, too. */
export function maskName(digest: string): string {
  return `mask ${digest}`
}
