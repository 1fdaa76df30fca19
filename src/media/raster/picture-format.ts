/** The picture formats that are taken, as sharp names them. */
export type PictureFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'tiff' | 'heif'

/**
 * Tells a picture's format from its first bytes, so that nothing else (SVG, PDF …) ever reaches a decoder that
 * would follow what is written in it. `heif` is the family of AVIF.
 */
export function pictureFormat(bytes: Uint8Array): PictureFormat | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 16))
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (/^GIF8[79]a/.test(start)) return 'gif'
  if (/^RIFF....WEBP/s.test(start)) return 'webp'
  if (/^(II\*\0|MM\0\*)/.test(start)) return 'tiff'
  if (/^....ftypavi[fs]/s.test(start)) return 'heif'
  return undefined
}
