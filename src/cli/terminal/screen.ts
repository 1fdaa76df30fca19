import { isatty, WriteStream } from 'node:tty'
import { isMainThread } from 'node:worker_threads'

/** Standard output, for a log. */
export interface Screen {
  /** Its file descriptor. */
  readonly fd: number
  readonly hasColours: boolean
  /** Its width; undefined for a file or a pipe. A user may resize a terminal at any time. */
  readonly columns: () => number | undefined
}

/** Describes standard output. Colours follow `FORCE_COLOR`, `NO_COLOR`, `TERM` and `CI`, as in Node itself. */
export function openScreen(environment: Readonly<Record<string, string | undefined>>): Screen {
  const fd = 1
  const isTerminal = isatty(fd)
  const depth = WriteStream.prototype.getColorDepth({ ...environment })
  return {
    fd,
    hasColours: (isTerminal || environment['FORCE_COLOR'] !== undefined) && depth > 1,
    columns: isTerminal ? watchColumns(fd) : () => undefined,
  }
}

/** Narrower lines would be unreadable. */
const minColumns = 40

/** In a worker thread, `process.stdout` is not a terminal, and resizing is not reported. */
function watchColumns(fd: number): () => number {
  const stream = isMainThread ? process.stdout : new WriteStream(fd)
  // A terminal that doesn't know its size reports 0.
  return () => Math.max(minColumns, (isMainThread ? stream.columns : stream.getWindowSize()[0]) || 80)
}
