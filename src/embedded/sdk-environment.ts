import { sdkVariables } from '../apis/index.ts'

/** The variables by which common SDKs and clients find the URL and the key. */
const defaults: Readonly<Record<string, string>> = Object.assign(
  { GREENROOM_URL: '${url}', GREENROOM_KEY: '${key}' },
  ...sdkVariables,
) as Record<string, string>

/** The values of placeholders: `${url}`, `${key}`, and in runs of a command `${runDir}`. */
interface Endpoint {
  readonly url: string
  readonly key: string
  /** The folder of the run. */
  readonly runDir?: string
}

/**
 * The variables by which a client finds the gateway.
 *
 * @param more further variables, such as `{ MY_GATEWAY: '${url}/v1', MY_TOKEN: '${key}' }`. They override those of SDKs.
 */
export function sdkEnvironment(
  endpoint: Endpoint,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const variables = Object.entries({ ...defaults, ...more })
  return Object.fromEntries(variables.map(([name, text]) => [name, fillEndpoint(text, endpoint)]))
}

/** A text with its placeholders filled in. */
export function fillEndpoint(text: string, endpoint: Endpoint): string {
  return Object.entries(endpoint).reduce(
    (filled, [name, value]) => filled.replaceAll(`\${${name}}`, () => value),
    text,
  )
}
