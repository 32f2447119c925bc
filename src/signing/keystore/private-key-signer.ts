import type { LocalAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../../domain/address.ts'

export const privateKeySigner = (key: Hex): LocalAccount => privateKeyToAccount(key)
