/**
 * Parses a list of allowed hosts to the form of {@link hostOf}.
 * @param names host names or addresses, without scheme, port or path.
 * @throws {Error} for an invalid entry, so that a mistake is reported at the start and not with the first picture.
 */
export function allowedHosts(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map(allowedHost))
}

/** The host of a URL: an IP address without brackets, or a name without a final dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

function allowedHost(name: string): string {
  const bare = name.replace(/^\[(.*)\]$/, '$1')
  const isSix = isOfVersionSix(bare)
  const written = isSix ? `http://[${bare}]/` : `http://${bare}/`
  // A port, a path, a range or a wildcard would parse, but then match nothing or something else.
  if ((!isSix && !/^[\p{L}\p{N}._-]+$/u.test(bare)) || !URL.canParse(written)) {
    throw new Error(
      `${JSON.stringify(name)} is no host: give a host name or an IP address alone, ` +
        'such as images.internal or 127.0.0.1, without scheme, port, path, range or wildcard.',
    )
  }
  return hostOf(new URL(written))
}

/** Checks the syntax without node:net, so that the schema of config files also works in browsers. */
function isOfVersionSix(text: string): boolean {
  return /^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text) && URL.canParse(`http://[${text}]/`)
}
