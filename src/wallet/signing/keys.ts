import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { readKeyFile } from '../key-source.ts'
import { openKey } from '../keystore.ts'
import { openKeystore } from '../keystore-file.ts'
import type { DeskNeeds } from './desk-needs.ts'
import type { Answers, ImportSource, KeySource } from './words.ts'

/** A key that was kept, as it is answered. */
export const stored = ({ name, address }: { name: string; address: Address | null }): Answers['make'] => {
  if (address === null) throw new AppError('BUG', 'A key was kept without its address')
  return { name, address }
}

/** The text of a key, from where it is. */
export async function keyFrom(source: KeySource, { privateKey, sandboxKey }: DeskNeeds): Promise<string> {
  switch (source.kind) {
    case 'sandbox':
      return sandboxKey()
    case 'environment':
      if (privateKey === undefined) throw new AppError('KEY_SOURCE', 'SLUICE_PRIVATE_KEY is not set')
      return privateKey
    case 'key-file':
      return readKeyFile(source.path)
    case 'keystore':
      return openKey(source.directory, source.name, source.password)
  }
}

/** The text of a key that is to be kept. */
export async function importedKey(from: ImportSource): Promise<string> {
  if (from.kind === 'key') return from.text
  return from.kind === 'key-file'
    ? readKeyFile(from.path)
    : openKeystore(from.text, from.password, from.label)
}
