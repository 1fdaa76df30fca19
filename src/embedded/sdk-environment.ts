/** What the usual SDKs and clients read: where the gateway is, and the key. */
const usual: Readonly<Record<string, string>> = {
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
 * The variables by which a command finds the gateway.
 *
 * @param more others, such as `{ MY_GATEWAY: '${url}/v1', MY_TOKEN: '${key}' }`; they win over the usual ones.
 */
export function sdkEnvironment(
  { url, key }: { url: string; key: string },
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const entries = Object.entries({ ...usual, ...more })
  return Object.fromEntries(
    entries.map(([name, text]) => [name, text.replaceAll('${url}', url).replaceAll('${key}', key)]),
  )
}
