/**
 * Whether an address may be called when a task changes: one on this machine by its plain name, or on a host that was
 * named. A name that only resolves to this machine isn't trusted: it may resolve to another tomorrow.
 *
 * @assumed §6 callbacks are not shown; wire §7.9 proposes loopback targets only.
 * @param allow names or addresses, without port.
 */
export function isHookAllowed(address: string, allow: readonly string[]): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname, username } = new URL(address)
  if (!/^https?:$/.test(protocol) || username !== '') return false
  const host = hostname.replace(/^\[|\]$/g, '')
  return (
    host === 'localhost' ||
    host === '::1' ||
    /^127(?:\.\d{1,3}){3}$/.test(host) ||
    allow.some((name) => name.toLowerCase() === host)
  )
}

/** The same for settings that may strip all such addresses. */
export function mayReport(address: string, setting: false | { readonly allow: readonly string[] }): boolean {
  return setting !== false && isHookAllowed(address, setting.allow)
}
