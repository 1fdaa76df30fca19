import { encodeBase64 } from '../../../gateway/bodies/base64.ts'

/** What is known of an uploaded file. */
interface FileFacts {
  readonly name: string
  readonly type: string
  readonly createdAt: number
  readonly bytes: Uint8Array
}

/**
 * A file that a client uploaded. A reply that returns it sends its bytes.
 *
 * @example
 * const record = ({ id, name, size }: UploadedFile) => ({ id, object: 'file', filename: name, bytes: size })
 */
export class UploadedFile {
  readonly id: string
  readonly name: string
  /** Its media type. */
  readonly type: string
  /** In milliseconds since 1970 on the virtual clock. */
  readonly createdAt: number
  /** Its content. */
  readonly bytes: Uint8Array

  /** @internal Only greenroom makes files. */
  constructor(id: string, { name, type, createdAt, bytes }: FileFacts) {
    this.id = id
    this.name = name
    this.type = type
    this.createdAt = createdAt
    this.bytes = bytes
  }

  /** In bytes. */
  get size(): number {
    return this.bytes.length
  }

  /** Its content as UTF-8. */
  get text(): string {
    return new TextDecoder().decode(this.bytes)
  }

  /** Its content as a data URL, which `images` of a submission may return. */
  get dataUrl(): string {
    return `data:${this.type};base64,${encodeBase64(this.bytes)}`
  }

  toJSON(): never {
    throw new TypeError('the JSON has an uploaded file. Return the file itself, or send its id in JSON')
  }
}
