/**
 * Has copies of a body made our way. MSW keeps a copy of every answer for whoever listens, and the usual two halves of a
 * stream end only together: a client that lets go of its half would wait, and go unnoticed, until the other half was
 * gone, too. So the client keeps the stream itself.
 *
 * @param copy makes a stream of the same bytes that holds nothing up.
 */
export function copiedBy(
  stream: ReadableStream<Uint8Array>,
  copy: () => ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  stream.tee = () => [stream, copy()] as ReturnType<typeof stream.tee>
  return stream
}
