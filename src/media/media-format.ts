import { pictureFormat } from './raster/picture-format.ts'

/** The types of files that rules may serve, by the extensions of their names. */
export const servedTypes: ReadonlyMap<string, string> = new Map([
  ['.mp4', 'video/mp4'],
  ['.m4v', 'video/mp4'],
  ['.webm', 'video/webm'],
  ['.mov', 'video/quicktime'],
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.webp', 'image/webp'],
  ['.avif', 'image/avif'],
])

/** How many bytes of a file show what it is. */
export const signatureBytes = 16

/**
 * Why a file may not be served under a name: the extension and the first bytes must agree on a video or picture, so that
 * a rule can't serve any other file.
 *
 * @param extension such as `.mp4`, in lower case.
 * @param start the first bytes of the file.
 */
export function formatProblem(extension: string, start: Uint8Array): string | undefined {
  const type = servedTypes.get(extension)
  if (type === undefined) return `its name must end in ${[...servedTypes.keys()].join(', ')}`
  const family = familyOf(start)
  if (family === undefined) return 'its first bytes are those of no video or picture'
  return familyOfType(type) === family ? undefined : `its name ends in ${extension}, but it is ${family}`
}

/** MP4 and QuickTime share their structure, and files of either are found under both extensions. */
function familyOfType(type: string): string {
  return type === 'video/quicktime' ? 'video/mp4' : type
}

function familyOf(start: Uint8Array): string | undefined {
  const picture = pictureFormat(start)
  if (picture === 'tiff') return undefined
  if (picture) return picture === 'heif' ? 'image/avif' : `image/${picture}`
  const text = String.fromCharCode(...start.subarray(0, signatureBytes))
  if (text.startsWith('\x1a\x45\xdf\xa3')) return 'video/webm'
  const box = text.slice(4, 8)
  if (box === 'ftyp') return /^(?:hei|mif|msf)/.test(text.slice(8)) ? undefined : 'video/mp4'
  // QuickTime files of before there were brands.
  return ['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'].includes(box) ? 'video/mp4' : undefined
}
