/** The variables by which common SDKs and clients find the URL and the key. */
const defaults: Readonly<Record<string, string>> = {
  GREENROOM_URL: '${url}',
  GREENROOM_KEY: '${key}',
  OPENAI_BASE_URL: '${url}/v1',
  OPENAI_API_KEY: '${key}',
  GOOGLE_GEMINI_BASE_URL: '${url}',
  GEMINI_API_KEY: '${key}',
  MJ_SERVER: '${url}',
  MJ_API_SECRET: '${key}',
}

/**
 * The variables by which a client finds the gateway.
 *
 * @param more further variables, such as `{ MY_GATEWAY: '${url}/v1', MY_TOKEN: '${key}' }`. They override those of SDKs.
 */
export function sdkEnvironment(
  { url, key }: { url: string; key: string },
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const entries = Object.entries({ ...defaults, ...more })
  return Object.fromEntries(
    entries.map(([name, text]) => [name, text.replaceAll('${url}', url).replaceAll('${key}', key)]),
  )
}
