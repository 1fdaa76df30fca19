import type { TextSettings, Writer } from '../../text/spec.ts'
import { loadWriter } from '../../text/writer.ts'

const writers = new WeakMap<TextSettings, Promise<Writer>>()

/** The writer of a simulator. Its word lists are loaded once, when the first text is asked for. */
export function writerOf({ text }: { readonly text: TextSettings }): Promise<Writer> {
  let writer = writers.get(text)
  if (!writer) writers.set(text, (writer = loadWriter(text)))
  return writer
}
