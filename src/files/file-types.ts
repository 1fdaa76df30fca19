export const dataTypes = ['.yaml', '.yml', '.json']
export const moduleTypes = ['.ts', '.mts', '.js', '.mjs']

/** Whether a file is a program, rather than data. Pages have no `node:path`. */
export function isModule(path: string): boolean {
  return moduleTypes.some((type) => path.endsWith(type) && !/(?:^|[\\/])$/.test(path.slice(0, -type.length)))
}
