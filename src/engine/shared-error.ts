/**
 * Lets `instanceof` recognize errors of another copy of the library: a process may load it as ESM and as CommonJS.
 * Call it in a static block of the class.
 *
 * @param name part of the brand: don't change it when you rename the class.
 */
export function recognizeCopies(ErrorClass: abstract new (...args: never[]) => Error, name: string): void {
  const brand = Symbol.for(`greenroom.${name}`)
  Object.defineProperty(ErrorClass.prototype, brand, { value: true })
  Object.defineProperty(ErrorClass, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      // Subclasses inherit this method, but the brand is of the base class only.
      if (this !== ErrorClass) return hasInstance.call(this, value)
      return typeof value === 'object' && value !== null && brand in value
    },
  })
}

const hasInstance = Function.prototype[Symbol.hasInstance]
