/**
 * Whether a URL may be called when a task changes: on this machine by its plain name, or on an allowed host. Names that
 * only resolve to this machine are not trusted, since they may resolve to another one later.
 *
 * @assumed §6 callbacks are undocumented; wire §7.9 proposes loopback targets only.
 * @param allow host names or IP addresses, without port.
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

/** The same for a setting that may be off. */
export function mayReport(address: string, setting: false | { readonly allow: readonly string[] }): boolean {
  return setting !== false && isHookAllowed(address, setting.allow)
}
