/** The words of a text. */
export const words = (text: string): string[] => text.trim().split(/\s+/)

/** Keywords whose value is a whole number from 0. */
export const countKeywords = words(
  'minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains',
)

/** Keywords that bound a number. */
export const numberKeywords = words('minimum maximum exclusiveMinimum exclusiveMaximum multipleOf')

/**
 * The native dialect, an OpenAPI schema.
 * @assumed §2.6 response schemas are undocumented; the vendor's Schema type, wire §8.2.
 */
export const nativeKeywords: ReadonlySet<string> = new Set(
  words(`
    title description default example examples type format enum items properties required anyOf pattern minimum maximum
    nullable propertyOrdering minLength maxLength minItems maxItems minProperties maxProperties`),
)

/**
 * JSON Schema from draft 4 to 2020-12, with `nullable` and `propertyOrdering`, which clients write into it.
 * @assumed §4.9 structured output is undocumented; all of JSON Schema that can be written from, wire §8.2, §9.1.
 */
export const honouredKeywords: ReadonlySet<string> = new Set([
  ...nativeKeywords,
  ...countKeywords,
  ...numberKeywords,
  ...words(`
    const $ref $defs definitions allOf oneOf not if then else prefixItems additionalItems contains uniqueItems
    patternProperties additionalProperties propertyNames dependentRequired dependentSchemas dependencies contentEncoding`),
])

/** Keywords that no value can break. */
const annotations: ReadonlySet<string> = new Set(
  words(`
    $schema $id $anchor $comment $vocabulary id title description default example examples deprecated readOnly writeOnly
    discriminator externalDocs xml contentMediaType contentSchema markdownDescription enumNames enumDescriptions`),
)

export function isAnnotation(keyword: string): boolean {
  return annotations.has(keyword) || keyword.startsWith('x-')
}
