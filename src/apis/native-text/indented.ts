/** JSON as the vendor writes whole objects (wire §8.3): two spaces of indent. */
export function indented(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

/** The same up to where more fields may follow. */
export function indentedBeginning(value: unknown): string {
  return indented(value).slice(0, -'\n}'.length)
}

/** The fields that follow, to the end of the object. */
export function indentedEnd(fields: object): string {
  return `,${indented(fields).slice('{'.length)}`
}
