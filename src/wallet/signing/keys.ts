import type { Address } from '../../domain/address.ts'
import { AppError } from '../../domain/errors.ts'
import { readKeyFile } from '../keys/key-source.ts'
import { parseKey } from '../keys/key-text.ts'
import { openKey } from '../keys/keystore.ts'
import { openKeystore } from '../keys/keystore-file.ts'
import { signerOf } from '../keys/signer.ts'
import type { Answers, ImportSource, KeySource } from '../keys/words.ts'
import { flag } from './argv.ts'
import type { DeskNeeds } from './desk-needs.ts'
import type { KeyHolder } from './holder.ts'

/** A key that was kept, as it is answered. */
export const stored = ({ name, address }: { name: string; address: Address | null }): Answers['make'] => {
  if (address === null) throw new AppError('BUG', 'A key was kept without its address')
  return { name, address }
}

/** What signs with a key, where it is; what speaks to devices and to other signers is loaded only for them. */
export async function holderOf(source: KeySource, needs: DeskNeeds): Promise<KeyHolder> {
  if (source.kind === 'ledger') return (await import('./ledger.ts')).openLedger(source, needs.tell)
  if (source.kind === 'external') {
    const { openExternal } = await import('./external.ts')
    const url = flag(needs.argv, '--signer-url') ?? needs.signerUrl ?? ''
    return openExternal({ url, wallet: source.wallet }, needs.tell)
  }
  return signerOf(parseKey(await keyFrom(source, needs)))
}

type TextSource = Exclude<KeySource, { kind: 'ledger' | 'external' }>

/** The text of a key, from where it is. */
async function keyFrom(source: TextSource, { privateKey, sandboxKey }: DeskNeeds): Promise<string> {
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
    case 'keystore-file':
      return openKeystore(source.text, source.password, source.label)
  }
}

/** The text of a key that is to be kept. */
export async function importedKey(from: ImportSource): Promise<string> {
  if (from.kind === 'key') return from.text
  return from.kind === 'key-file'
    ? readKeyFile(from.path)
    : openKeystore(from.text, from.password, from.label)
}
