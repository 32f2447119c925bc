import { AppError } from '../../domain/errors.ts'
import { plain } from '../../domain/text.ts'

/** The first account of Ledger Live, and of most wallets. */
export const usualPath = "m/44'/60'/0'/0/0"

/**
 * A derivation path that was typed, as `m/44'/60'/...`: `'`, `h` and `H` harden, and `m/` may be missing. Ledger Live counts in the
 * third place (m/44'/60'/1'/0/0), its legacy accounts in a fourth (m/44'/60'/0'/1), other wallets in the fifth.
 */
export function derivationPath(text: string): string {
  const parts = text.replace(/^m\//, '').split('/')
  const read = parts.map((part) => /^(0|[1-9][0-9]{0,9})(['hH]?)$/.exec(part))
  const isPath =
    parts.length >= 3 &&
    parts.length <= 10 &&
    read.every((one) => one !== null && Number(one[1]) < 2 ** 31) &&
    /^44['hH]\/(60|1)['hH]\//.test(parts.join('/'))
  if (isPath) return `m/${read.map((one) => `${one![1]}${one![2] === '' ? '' : "'"}`).join('/')}`
  throw new AppError('USAGE', `"${plain(text)}" is not the path of an Ethereum key`, {
    hint: `--ledger "${usualPath}", or --ledger at the end of the line for that one`,
  })
}
