import { Aliases } from './aliases.ts'

/** Values of a request that its response may repeat. */
export interface KnownValues {
  /** Texts, each with the template that replaces it. */
  readonly texts: readonly (readonly [text: unknown, template: string])[]
  /** Keys. They are never written. */
  readonly secrets: readonly string[]
  /** Texts that must not be written. */
  readonly hidden: readonly (string | undefined)[]
}

/** Shorter texts occur by chance. */
const minTextLength = 4
/** Longer texts in base64 are media. */
const maxEncodedCharacters = 256

/** Long keys, and short keys in the gateway's own form that contain a digit, unlike words. */
const keyPattern =
  /\b(?:(?:sk|pk|rk|key|AIza)[-_]?[A-Za-z0-9_-]{16,}|sk-(?=[A-Za-z_-]{0,16}\d)[A-Za-z0-9_-]{6,})/g
const aliases = new Aliases()

/**
 * Replaces values of the request by templates in its response, and removes keys and media.
 *
 * @param withTemplates whether templates are allowed; otherwise known texts stay unchanged.
 */
export function toTemplate(value: unknown, known: KnownValues, withTemplates = true): unknown {
  if (typeof value === 'string') return toTemplateText(value, known, withTemplates)
  if (Array.isArray(value)) return value.map((each) => toTemplate(each, known, withTemplates))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, toTemplate(each, known, withTemplates)]),
  )
}

/**
 * Removes keys from the chunks of a stream that came as an array. A key may begin in one chunk and end in another. Then the
 * first chunk gets the whole text.
 */
export function withoutSplitKeys(chunks: readonly unknown[], secrets: readonly string[]): unknown[] {
  const texts: string[] = []
  mapTexts(chunks, (text) => void texts.push(text))
  const rest = removeKeys(texts.join(''), secrets)
  if (rest === texts.map((text) => removeKeys(text, secrets)).join('')) return [...chunks]
  let isFirst = true
  return mapTexts(chunks, () => {
    const text = isFirst ? rest : ''
    isFirst = false
    return text
  }) as unknown[]
}

/** Replaces the fields `text` at any depth. */
function mapTexts(value: unknown, map: (text: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, map))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === 'text' && typeof each === 'string' ? map(each) : mapTexts(each, map),
    ]),
  )
}

function toTemplateText(text: string, known: KnownValues, withTemplates: boolean): string {
  if (isMedia(text)) return ''
  let filled = withTemplates ? text.replaceAll('${', '$$${') : text
  if (withTemplates) {
    for (const [each, template] of known.texts)
      if (typeof each === 'string' && each.length >= minTextLength) filled = filled.split(each).join(template)
    filled = filled.replaceAll(/(request id: )[\w-]+/g, '$1${request.id}')
  }
  for (const hidden of known.hidden)
    if (hidden !== undefined && hidden !== '') filled = filled.split(hidden).join('…')
  return removeKeys(filled, known.secrets)
}

/** Removes these keys, and everything that resembles a key. */
export function removeKeys(text: string, secrets: readonly string[]): string {
  const rest = secrets
    .filter((secret) => secret.length >= minTextLength)
    .reduce((left, secret) => left.replaceAll(secret, 'sk-alias'), text)
  return aliases.inQueries(rest.replaceAll(keyPattern, 'sk-alias'))
}

function isMedia(text: string): boolean {
  return (
    /^data:[^,]{0,200};base64,/.test(text) || (text.length > maxEncodedCharacters && /^[\w+/=-]+$/.test(text))
  )
}
