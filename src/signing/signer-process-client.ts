import type { Address } from '../domain/address.ts'
import { AppError } from '../domain/errors.ts'
import type { TransactionSigner } from './signer.ts'
import type { KeySource, SigningService } from './signing-service-protocol.ts'

/** The signer of a key that the signing service opens. It signs approved steps only. */
export async function serviceSigner(service: SigningService, source: KeySource): Promise<TransactionSigner> {
  const { address } = await service({ do: 'open', source })
  return signerAt(service, address)
}

const signerAt = (service: SigningService, address: Address): TransactionSigner => ({
  address,
  approve: async (plan) => {
    await service({ do: 'approve', wallet: address, ...plan })
  },
  signTransaction: async ({ to, data, value, chainId, nonce, gas, maxFeePerGas, maxPriorityFeePerGas }) => {
    if (
      !to ||
      nonce === undefined ||
      gas === undefined ||
      maxFeePerGas === undefined ||
      maxPriorityFeePerGas === undefined
    )
      throw new AppError('BUG', 'The transaction to sign is incomplete')
    const transaction = {
      to,
      data: data ?? '0x',
      value: (value ?? 0n).toString(),
      chainId,
      nonce,
      gas: gas.toString(),
      maxFeePerGas: maxFeePerGas.toString(),
      maxPriorityFeePerGas: maxPriorityFeePerGas.toString(),
    }
    return (await service({ do: 'sign', wallet: address, transaction })).raw
  },
})
