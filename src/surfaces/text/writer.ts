import type { Awaitable } from '../../gateway/awaitable.ts'
import type { TextSettings, Writer } from '../../text/spec.ts'
import { loadWriter } from '../../text/writer.ts'

const writers = new WeakMap<TextSettings, Awaitable<Writer>>()

/** The writer of a simulator. Its word lists are loaded once, when the first text is asked for. */
export function writerOf({ text }: { readonly text: TextSettings }): Awaitable<Writer> {
  const known = writers.get(text)
  if (known) return known
  const loading = loadWriter(text)
  writers.set(text, loading)
  loading.then((writer) => writers.set(text, writer)).catch(() => writers.delete(text))
  return loading
}
