/** A language whose programs say which of their lines sends a request. */
export type ClientLanguage = 'python' | 'javascript'

/** How to follow an advice in a language, as a sentence. */
export type HowTo = Readonly<Partial<Record<ClientLanguage, string>>>

/** The language of a line such as `client.py:42`; undefined if it is unknown. */
export function languageOf(place: string | undefined): ClientLanguage | undefined {
  if (place === undefined) return undefined
  if (/\.pyw?:\d+$/.test(place)) return 'python'
  return /\.[cm]?[jt]sx?:\d+$/.test(place) ? 'javascript' : undefined
}

/** An advice, with how to follow it in the language of a line. */
export function adviseAt(place: string | undefined, advice: string, howTo: HowTo | undefined): string {
  const language = languageOf(place)
  const how = language && howTo?.[language]
  return how === undefined ? advice : `${advice} ${how}`
}

export const howToEndWaits: HowTo = {
  python: 'In Python: timeout= of requests, httpx or urlopen, aiohttp.ClientTimeout, or asyncio.wait_for.',
  javascript: 'In JavaScript: signal: AbortSignal.timeout(60_000).',
}
