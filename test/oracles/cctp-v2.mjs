// Where @circle-fin/provider-cctp-v2 says that the burn-and-mint bridge stands, as JSON on stdout. Nothing is asked of a network.
import { CCTPV2BridgingProvider } from '@circle-fin/provider-cctp-v2'

const ends = new CCTPV2BridgingProvider().supportedChains.flatMap(
  ({ type, chainId, isTestnet, usdcAddress, cctp }) => {
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
  },
)
process.stdout.write(JSON.stringify({ ends }))
