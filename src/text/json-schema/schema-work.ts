/** What a refusal says of work that was spent on a schema. */
export const schemaWork = 'its JSON schema'
