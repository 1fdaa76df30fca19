// How times and sizes are written.

const pad = (value: number, digits = 2): string => String(Math.floor(value)).padStart(digits, '0')

/** An instant since the start, such as `01:02.3` or `3:12:04`. */
export function formatInstant(ms: number, digits = 1): string {
  const minus = ms < 0 ? '−' : ''
  const left = Math.abs(ms)
  const hours = Math.floor(left / 3_600_000)
  const minutes = pad(Math.floor(left / 60_000) % 60)
  const seconds = pad(Math.floor(left / 1000) % 60)
  const fraction = digits > 0 ? `.${pad(left % 1000, 3).slice(0, digits)}` : ''
  return `${minus}${hours > 0 ? `${hours}:` : ''}${minutes}:${seconds}${fraction}`
}

/** A duration, such as `340 ms`, `4.2 s`, `1 m 12 s`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return 'forever'
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} m ${Math.floor((ms % 60_000) / 1000)} s`
  return `${Math.floor(ms / 3_600_000)} h ${Math.floor((ms % 3_600_000) / 60_000)} m`
}

/** A number of bytes, such as `549 B` or `1.6 kB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** A number with separators. */
export function formatCount(count: number): string {
  return count.toLocaleString('en')
}

/** A count with its noun: `1 lane`, `2 lanes`. */
export function formatMany(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}
