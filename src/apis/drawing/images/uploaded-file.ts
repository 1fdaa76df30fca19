/** Below which path uploaded pictures lie. */
export const uploadedFolder = '/mj/uploaded/'

/**
 * What an uploaded picture is called: by its digest, behind the tag of the shard that has it.
 * @example
 * uploadedFile('0f41', '03') // → '03-0f41.jpg'
 */
export function uploadedFile(digest: string, shardTag: string): string {
  return `${shardTag === '' ? '' : `${shardTag}-`}${digest}.jpg`
}

/** The digest in the name of an uploaded picture; undefined when it is no such name. */
export function digestOfUploaded(file: string): string | undefined {
  return /^(?:\d\d-)?([0-9a-f]{64})(?:\.jpg)?$/.exec(file)?.[1]
}
