/**
 * The same text in one piece. What is put together from pieces hangs together loosely, and takes twice the memory, until
 * somebody reads it; what is kept for long should not wait for that.
 */
export function inOnePiece(text: string): string {
  text.charCodeAt(0)
  return text
}
