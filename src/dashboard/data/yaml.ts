// The part of YAML that scenario files need: maps, lists, and flow style for short values.

/** Writes a value as YAML, as a scenario file would have it. */
export function toYaml(value: unknown, indent = ''): string {
  if (Array.isArray(value)) {
    return value
      .map((item) =>
        isObject(item) && Object.keys(item).length > 0
          ? `${indent}- ${toYaml(item, `${indent}  `).trimStart()}`
          : `${indent}- ${toFlow(item)}\n`,
      )
      .join('')
  }
  return Object.entries(value as object)
    .filter(([, item]) => item !== undefined)
    .map(([name, item]) => {
      const flow = toFlow(item)
      const isShort = !isObject(item) || (!hasObjects(item) && flow.length < 72)
      return isShort || isEmpty(item)
        ? `${indent}${fieldName(name)}: ${flow}\n`
        : `${indent}${fieldName(name)}:\n${toYaml(item, `${indent}  `)}`
    })
    .join('')
}

function toFlow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toFlow).join(', ')}]`
  if (!isObject(value)) return scalar(value)
  const fields = Object.entries(value).filter(([, item]) => item !== undefined)
  if (fields.length === 0) return '{}'
  return `{ ${fields.map(([name, item]) => `${fieldName(name)}: ${toFlow(item)}`).join(', ')} }`
}

/** `on` is the name of a field: YAML 1.2 takes it for nothing else. */
function fieldName(name: string): string {
  return /^[A-Za-z][\w-]*$/.test(name) ? name : JSON.stringify(name)
}

/** Plain if no parser could take it for anything else, otherwise quoted as JSON, which is YAML, too. */
function scalar(value: unknown): string {
  if (typeof value !== 'string') return String(value)
  const isPlain =
    /^[A-Za-z](?:[\w ./%-]*[\w./%-])?$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value)
  const isMeasure = /^\d+(?:\.\d+)?(?:ms|[smhd%])(?:\.\.\d+(?:ms|[smhd]))?$/.test(value)
  return isPlain || isMeasure ? value : JSON.stringify(value)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0
}

function hasObjects(value: object): boolean {
  return Array.isArray(value) && value.some(isObject)
}
