/** The media type of a `Content-Type`, in lower case and without its parameters. */
export function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase()
}
