// The lines of a program that send a request, innermost first: `client.js:12 from client.js:57 from client.js:80`.

const separator = ' from '

/**
 * The line that sends a request, and the one that it was called from, if the same line sends other requests for other callers:
 * `client.js:12 from client.js:57`. The caller is the innermost line that those requests don't have in common.
 *
 * @param lines the lines of the request, as its process states them.
 * @param all the lines of all requests that it is compared with.
 */
export function nameSendingLine(lines: string, all: Iterable<string>): string {
  const [line = lines, ...callers] = lines.split(separator)
  const chains = [...new Set(all)].map((each) => each.split(separator)).filter(([first]) => first === line)
  const caller = callers.find((each) => chains.some((chain) => !chain.includes(each)))
  return caller === undefined ? line : line + separator + caller
}

/** The line that sends a request, without its callers. */
export const innermostLine = (lines: string): string => lines.split(separator, 1)[0]!
