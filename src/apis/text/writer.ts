import type { MaybePromise } from '../../engine/maybe-promise.ts'
import type { TextSettings, Writer } from '../../text/spec.ts'

const writers = new WeakMap<TextSettings, MaybePromise<Writer>>()

/** The writer of a simulator. It is loaded with its word lists, once, when the first text is asked for. */
export function writerOf({ text }: { readonly text: TextSettings }): MaybePromise<Writer> {
  const known = writers.get(text)
  if (known) return known
  const loading = import('../../text/write/writer.ts').then(({ loadWriter }) => loadWriter(text))
  writers.set(text, loading)
  loading.then((writer) => writers.set(text, writer)).catch(() => writers.delete(text))
  return loading
}
