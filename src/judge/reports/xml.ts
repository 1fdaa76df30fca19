/** A text as it may stand in XML, in an attribute too. What XML can't carry at all becomes a question mark. */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '?')
    .replace(/[&<>"'\t\n\r]/g, (sign) => entities[sign]!)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** An element with its attributes; those without a value are left out. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  children: readonly string[] = [],
): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
    .join('')
  if (children.length === 0) return `<${name}${written}/>`
  const inside = children
    .join('\n')
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
  return `<${name}${written}>\n${inside}\n</${name}>`
}
