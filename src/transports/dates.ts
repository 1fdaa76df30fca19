/** Tells the `Date` of an answer, which is virtual, like all time here. Writing dates is slow, and they change once a second. */
export function dateHeaders(): (now: number) => string {
  let second = NaN
  let text = ''
  return (now) => {
    if (Math.floor(now / 1000) !== second) {
      second = Math.floor(now / 1000)
      text = new Date(now).toUTCString()
    }
    return text
  }
}

/** Whether a rule has said when it is. @param headers names and values in turn. */
export function isDated(headers: readonly string[]): boolean {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === 'Date') return true
  return false
}
