import * as z from 'zod/mini'
import { caps } from '../../../engine/caps.ts'
import { decodeBase64, encodeBase64 } from '../../../gateway/bodies/base64.ts'
import type { Core } from '../../../gateway/core.ts'
import type { Attachment } from '../../define/api.ts'
import { UploadedFile } from '../job/uploaded-file.ts'

/** A file as the state has it. */
interface StoredUpload {
  readonly key: string
  readonly at: number
  readonly name: string
  readonly type: string
  readonly content: string
}

const storedForm = z.lazy(() =>
  z.object({ key: z.string(), at: z.number(), name: z.string(), type: z.string(), content: z.string() }),
)

/** Stores files that clients upload with the state of the simulator. */
export function attachUploads({ use, events }: Core): Attachment {
  const uploads = use(uploadsOf)
  events.on('tasks.cleared', ({ namespace }) => uploads.forget(namespace))
  return {
    stored: {
      upload: {
        list: () => uploads.names(),
        read: (namespace, id) => toStored(uploads.get(id, namespace)),
        schema: storedForm,
        write: (namespace, id, { key, at, name, type, content }: StoredUpload) =>
          uploads.put(
            namespace,
            key,
            new UploadedFile(id, { name, type, createdAt: at, bytes: decode(content) }),
          ),
      },
    },
  }
}

function toStored(slot: Slot | undefined): StoredUpload | undefined {
  if (!slot) return undefined
  const { file, key } = slot
  const { createdAt: at, name, type, bytes } = file
  return { key, at, name, type, content: encodeBase64(bytes) }
}

function decode(content: string): Uint8Array {
  const bytes = decodeBase64(content, caps.uploadBytes)
  return typeof bytes === 'string' ? new Uint8Array() : bytes
}

/** The uploaded files of a simulator. */
export function uploadsOf({ changes }: Core): Uploads {
  return new Uploads((namespace, id) => changes.note('upload', namespace, id))
}

interface Slot {
  readonly namespace: string
  /** A hash of the account that owns it. */
  readonly key: string
  readonly file: UploadedFile
}

/** Ids are unique, because the namespace is hashed into them. */
export class Uploads {
  readonly #onChange: (namespace: string, id: string) => void
  readonly #byId = new Map<string, Slot>()
  #bytes = 0

  constructor(onChange: (namespace: string, id: string) => void) {
    this.#onChange = onChange
  }

  put(namespace: string, key: string, file: UploadedFile): void {
    this.remove(file.id)
    this.#byId.set(file.id, { namespace, key, file })
    this.#bytes += file.size
    this.#onChange(namespace, file.id)
    for (const oldest of this.#byId.keys()) {
      if (this.#byId.size <= caps.uploads && this.#bytes <= caps.uploadBytes) break
      this.remove(oldest)
    }
  }

  /** @param namespace that it must be of. @param key the account that must own it. */
  get(id: string, namespace?: string, key?: string): Slot | undefined {
    const slot = this.#byId.get(id)
    if (namespace !== undefined && slot?.namespace !== namespace) return undefined
    return key !== undefined && slot?.key !== key ? undefined : slot
  }

  /** The files of an account, the newest first. */
  list(namespace: string, key: string): UploadedFile[] {
    const own = [...this.#byId.values()].filter((slot) => slot.namespace === namespace && slot.key === key)
    return own.map(({ file }) => file).toReversed()
  }

  /** @returns whether there was one. */
  remove(id: string): boolean {
    const slot = this.#byId.get(id)
    if (!slot) return false
    this.#byId.delete(id)
    this.#bytes -= slot.file.size
    this.#onChange(slot.namespace, id)
    return true
  }

  /** Removes all files of a namespace. */
  forget(namespace: string): void {
    for (const [id, slot] of this.#byId) if (slot.namespace === namespace) this.remove(id)
  }

  /** The namespace and id of each file, the oldest first. */
  *names(): Generator<[namespace: string, id: string]> {
    for (const [id, { namespace }] of this.#byId) yield [namespace, id]
  }
}
