export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Element[]
}

/** Reads XML without text between its tags, and throws for what is not well-formed. */
export function parseXml(text: string): Element {
  const body = text.replace(/^<\?xml version="1.0" encoding="UTF-8"\?>\n/, '')
  const root: Element = { name: '', attributes: {}, children: [] }
  const open = [root]
  let at = 0
  for (const match of body.matchAll(/<(\/?)([a-z]+)((?: [a-z]+="[^"<]*")*)(\/?)>\s*/g)) {
    if (match.index !== at) throw new Error(`not well-formed at ${body.slice(at, at + 40)}`)
    at += match[0].length
    const [, closes, name, attributes, isEmpty] = match
    if (closes) {
      if (open.pop()!.name !== name) throw new Error(`</${name}> closes another element`)
      continue
    }
    const element: Element = { name: name!, attributes: readAttributes(attributes!), children: [] }
    open.at(-1)!.children.push(element)
    if (!isEmpty) open.push(element)
  }
  if (at !== body.length || open.length !== 1 || root.children.length !== 1)
    throw new Error('not one whole element')
  return root.children[0]!
}

function readAttributes(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, name, value]) => [name!, unescape(value!)]),
  )
}

function unescape(value: string): string {
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f]|&(?!(amp|lt|gt|quot|apos|#\d+);)/.test(value)) throw new Error(`unescaped: ${value}`)
  return value.replace(/&(amp|lt|gt|quot|apos|#(\d+));/g, (_all, name: string, code?: string) =>
    code === undefined ? signs[name]! : String.fromCodePoint(Number(code)),
  )
}

const signs: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
