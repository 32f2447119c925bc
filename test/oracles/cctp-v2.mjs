// Prints, as JSON, the CCTP v2 contracts that @circle-fin/provider-cctp-v2 lists, and its maximum fee for a fast burn.
// No network: a stub answers for the attestation service that the SDK asks for fees.
import { CCTPV2BridgingProvider } from '@circle-fin/provider-cctp-v2'

const provider = new CCTPV2BridgingProvider()
const ends = provider.supportedChains.flatMap(({ type, chainId, isTestnet, usdcAddress, cctp }) => {
  const v2 = cctp?.contracts?.v2
  if (type !== 'evm' || v2?.type !== 'split') return []
  const { tokenMessenger, messageTransmitter } = v2
  return [
    {
      chainId,
      testnet: isTestnet,
      domain: cctp.domain,
      token: usdcAddress,
      tokenMessenger,
      messageTransmitter,
    },
  ]
})

let minimumFee = ''
globalThis.fetch = async () =>
  Response.json([
    { finalityThreshold: 1000, minimumFee: JSON.rawJSON(minimumFee) },
    { finalityThreshold: 2000, minimumFee: 0 },
  ])
const at = (chainId) => ({
  chain: provider.supportedChains.find((one) => one.type === 'evm' && one.chainId === chainId),
  address: '0x1111111111111111111111111111111111111111',
  adapter: { prepare() {}, waitForTransaction() {}, getAddress() {}, validateChainSupport() {} },
})
const parties = { source: at(1), destination: at(8453), token: 'USDC', config: { transferSpeed: 'FAST' } }

// Every fee with two decimals below 20 basis points, in the notation of the service: 0.01, 0.1, 1.3.
const fees = Array.from({ length: 1_999 }, (_, at) => String((at + 1) / 100))
const most = []
for (const amount of ['1000000', '1234567890', '49999999999999']) {
  const maxFees = []
  for (minimumFee of fees)
    maxFees.push(String((await provider.getMaxFee({ ...parties, amount })).providerFee))
  most.push({ amount, maxFees })
}
process.stdout.write(JSON.stringify({ ends, fees, most }))
