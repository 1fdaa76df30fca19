/** A value as one writes it in a file: words without quotes where YAML needs none. */
export function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, each]) => `${scalar(key)}: ${written(each)}`)
    return `{ ${entries.join(', ')} }`
  }
  return typeof value === 'string' ? scalar(value) : String(value)
}

/** Words that YAML reads as something else, or that would end a key. */
const needsQuotes =
  /^$|^[\s\-?:,[\]{}#&*!|>'"%@`]|[:#,[\]{}]|\s$|^(?:true|false|null|yes|no|on|off|~|[\d.+-].*)$/i

function scalar(text: string): string {
  const plainNumberLike =
    /^\d+(?:\.\d+)?(?:ms|s|m|h|d|%)|^\d+x\d+$|^\d+\/\d+\w+$|^\dxx$/.test(text) && !/^[\d.]+$/.test(text)
  if (plainNumberLike && !/[:#,[\]{}]/.test(text)) return text
  return needsQuotes.test(text) ? `'${text.replaceAll("'", "''")}'` : text
}
