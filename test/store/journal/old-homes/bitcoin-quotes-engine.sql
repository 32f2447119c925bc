-- The journal of a home whose version kept the quotes of swaps from Bitcoin in a table of their own, as it wrote it: with the engine in its own process.
PRAGMA application_id=1936484913;
PRAGMA user_version=8;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE step_move (was TEXT NOT NULL, becomes TEXT NOT NULL, PRIMARY KEY (was, becomes)) STRICT, WITHOUT ROWID;
INSERT INTO step_move VALUES('BROADCAST','INCLUDED');
INSERT INTO step_move VALUES('BROADCAST','SUPERSEDED');
INSERT INTO step_move VALUES('CANCELLED','INCLUDED');
INSERT INTO step_move VALUES('FINAL_OK','INCLUDED');
INSERT INTO step_move VALUES('FINAL_REVERTED','INCLUDED');
INSERT INTO step_move VALUES('INCLUDED','BROADCAST');
INSERT INTO step_move VALUES('INCLUDED','CANCELLED');
INSERT INTO step_move VALUES('INCLUDED','FINAL_OK');
INSERT INTO step_move VALUES('INCLUDED','FINAL_REVERTED');
INSERT INTO step_move VALUES('PLANNED','RESERVED');
INSERT INTO step_move VALUES('RESERVED','PLANNED');
INSERT INTO step_move VALUES('RESERVED','SIGNED');
INSERT INTO step_move VALUES('SIGNED','BROADCAST');
INSERT INTO step_move VALUES('SUPERSEDED','BROADCAST');
CREATE TABLE operation_move (was TEXT NOT NULL, becomes TEXT NOT NULL, PRIMARY KEY (was, becomes)) STRICT, WITHOUT ROWID;
INSERT INTO operation_move VALUES('ATTENTION','CANCELLED');
INSERT INTO operation_move VALUES('ATTENTION','EXECUTING');
INSERT INTO operation_move VALUES('CANCELLED','EXECUTING');
INSERT INTO operation_move VALUES('DONE','EXECUTING');
INSERT INTO operation_move VALUES('EXECUTING','ATTENTION');
INSERT INTO operation_move VALUES('EXECUTING','CANCELLED');
INSERT INTO operation_move VALUES('EXECUTING','DONE');
INSERT INTO operation_move VALUES('EXECUTING','FAILED');
INSERT INTO operation_move VALUES('EXECUTING','PARTIAL');
INSERT INTO operation_move VALUES('FAILED','EXECUTING');
INSERT INTO operation_move VALUES('OPEN','CANCELLED');
INSERT INTO operation_move VALUES('OPEN','DROPPED');
INSERT INTO operation_move VALUES('OPEN','EXECUTING');
INSERT INTO operation_move VALUES('PARTIAL','CANCELLED');
INSERT INTO operation_move VALUES('PARTIAL','EXECUTING');
CREATE TABLE operation (
    id TEXT PRIMARY KEY, idem_key TEXT NOT NULL, request_hash TEXT NOT NULL, request TEXT NOT NULL, plan TEXT NOT NULL,
    kind TEXT NOT NULL, wallet TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'OPEN', exit INTEGER, result TEXT,
    created INTEGER NOT NULL, updated INTEGER NOT NULL
  ) STRICT;
INSERT INTO operation VALUES('c0bc9712-9b06-4ee1-863d-2b7bbb9b26af','old-transfer','45e7b73d13dbc695f1adac539095d43e71672e6f53d3252319873e0968616249','{"amount":"5000000","chainId":31337,"command":"transfer","to":"0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC","token":"0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0","wallet":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}','{"about":{"amounts":{"in":{"decimals":6,"formatted":"5","raw":"5000000","symbol":"USDC"},"out":{"decimals":6,"formatted":"5","raw":"5000000","symbol":"USDC"}},"receiver":"0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC","strategyId":null,"strategySlug":null,"type":"TRANSFER_OUT"},"assurance":"L3","bounds":{"0":{"feeCap":"3295834348","from":0,"maxCost":"259817213321536"}},"expiresAt":null,"intents":[{"amount":"5000000","kind":"transfer","recipient":"0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC","token":{"address":"0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0","chainId":31337,"decimals":6,"name":"USD Coin","symbol":"USDC"},"wallet":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}],"nonce":null,"planHash":"03605be48beda32610d22db3c00cf6dc463d4c864b2b1e29190587a34f22eaaf","quoteId":null,"terms":{"allow":[],"allowTokens":[],"asserts":[],"canAsk":false,"isLookedAt":false,"lowest":"L2","maxFeePerGas":null,"maxPriceImpact":null,"maxSlippage":null,"policy":null,"trustFirstUse":true},"walletNonce":0}','transfer','0x70997970C51812dc3A010C7d01b50e0d17dc79C8','DONE',0,'{"out":{"decimals":6,"formatted":"5","raw":"5000000","symbol":"USDC"}}',1796028489212,1796028489289);
CREATE TABLE leg (
    operation TEXT NOT NULL REFERENCES operation (id), leg INTEGER NOT NULL, chain_id INTEGER NOT NULL,
    arrival_token TEXT, arrival_minimum TEXT, arrival_recipient TEXT, arrival_hash TEXT, PRIMARY KEY (operation, leg)
  ) STRICT, WITHOUT ROWID;
INSERT INTO leg VALUES('c0bc9712-9b06-4ee1-863d-2b7bbb9b26af',0,31337,NULL,NULL,NULL,NULL);
CREATE TABLE step (
    operation TEXT NOT NULL, idx INTEGER NOT NULL, leg INTEGER NOT NULL, chain_id INTEGER NOT NULL,
    wallet TEXT NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL,
    target TEXT NOT NULL, value TEXT NOT NULL, data TEXT NOT NULL,
    nonce INTEGER, from_block INTEGER, state TEXT NOT NULL DEFAULT 'PLANNED',
    final_hash TEXT, block_number INTEGER, block_hash TEXT, gas_used TEXT, gas_price TEXT,
    PRIMARY KEY (operation, idx), FOREIGN KEY (operation, leg) REFERENCES leg (operation, leg),
    CHECK ((nonce IS NULL) = (state = 'PLANNED'))
  ) STRICT, WITHOUT ROWID;
INSERT INTO step VALUES('c0bc9712-9b06-4ee1-863d-2b7bbb9b26af',0,0,31337,'0x70997970C51812dc3A010C7d01b50e0d17dc79C8','action','Send 5 USDC to 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC','0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0','0','0xa9059cbb0000000000000000000000003c44cdddb6a900fa2b585dd299e03d12fa4293bc00000000000000000000000000000000000000000000000000000000004c4b40',0,10,'FINAL_OK','0x0b27a166e97d5447f924e346f8fe0504efe262acf743eb4e33e5eb535736b4b2',11,'0xc755e0c18ee3974b4a140ca94be7ed96e43d2099394a3cdb7bde9808177dbaa4','45047','1283624635');
CREATE TABLE attempt (
    hash TEXT PRIMARY KEY, operation TEXT NOT NULL, idx INTEGER NOT NULL, raw TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('run', 'bump', 'cancel')),
    chain_id INTEGER NOT NULL, nonce INTEGER NOT NULL, target TEXT NOT NULL, value TEXT NOT NULL, data TEXT NOT NULL,
    gas TEXT NOT NULL, max_fee TEXT NOT NULL, max_priority TEXT NOT NULL,
    created INTEGER NOT NULL, sends INTEGER NOT NULL DEFAULT 0, last_answer TEXT,
    FOREIGN KEY (operation, idx) REFERENCES step (operation, idx)
  ) STRICT, WITHOUT ROWID;
INSERT INTO attempt VALUES('0x0b27a166e97d5447f924e346f8fe0504efe262acf743eb4e33e5eb535736b4b2','c0bc9712-9b06-4ee1-863d-2b7bbb9b26af',0,'0x02f8b2827a6980843b9aca008462393876830133f0949fe46736679d2d9a65f0992f2272de9f3c7fa6e080b844a9059cbb0000000000000000000000003c44cdddb6a900fa2b585dd299e03d12fa4293bc00000000000000000000000000000000000000000000000000000000004c4b40c080a047fd36d98f044c2824e8c2c7c51c3595cee8bee818e2cd21b87562ad56e238d6a06455736c794a4217820801b4759d1a47d9c5a85e4fa4765de3e882b53db62bfb','run',31337,0,'0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0','0','0xa9059cbb0000000000000000000000003c44cdddb6a900fa2b585dd299e03d12fa4293bc00000000000000000000000000000000000000000000000000000000004c4b40','78832','1647917174','1000000000',1796028489257,1,'accepted');
CREATE TABLE event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, operation TEXT NOT NULL, idx INTEGER, was TEXT NOT NULL, becomes TEXT NOT NULL,
    why TEXT NOT NULL, at INTEGER NOT NULL, prev_hash TEXT NOT NULL, hash TEXT NOT NULL UNIQUE
  , kind TEXT NOT NULL DEFAULT 'moved', ref TEXT) STRICT;
INSERT INTO event VALUES(1,'c0bc9712-9b06-4ee1-863d-2b7bbb9b26af',NULL,'','OPEN','planned',1796028489213,'','e9b08643fffb22db4c8b700684f15978ed84aa427aa0385084c9fc56e75b5b58','planned','47d2dcd231e087e3877710062ce3a897b405c07bfd183163204339f97c9aba06');
INSERT INTO event VALUES(2,'c0bc9712-9b06-4ee1-863d-2b7bbb9b26af',0,'PLANNED','RESERVED','nonce 0',1796028489244,'e9b08643fffb22db4c8b700684f15978ed84aa427aa0385084c9fc56e75b5b58','8474f9a8a381f9d2e1b1483205f14942fef611a8eec3e58336fa069ddac551bd','reserved','0');
INSERT INTO event VALUES(3,'c0bc9712-9b06-4ee1-863d-2b7bbb9b26af',0,'RESERVED','SIGNED','signed 0x0b27a166e97d5447f924e346f8fe0504efe262acf743eb4e33e5eb535736b4b2',1796028489257,'8474f9a8a381f9d2e1b1483205f14942fef611a8eec3e58336fa069ddac551bd','7989f1b1954ba608e7dd739f31e8c49909464bf2f737197d1dafa1bf33ea4c80','signed','34b6d5bd75711f8bb744cfa0bc553072f5c4ece05d6bcb3c4a5feda16819c43d');
INSERT INTO event VALUES(4,'c0bc9712-9b06-4ee1-863d-2b7bbb9b26af',NULL,'OPEN','EXECUTING','first signature',1796028489257,'7989f1b1954ba608e7dd739f31e8c49909464bf2f737197d1dafa1bf33ea4c80','a8d77ccc1d95a1796cdd0484d80a6286f4dc561a34023073b739e26a4e0e5038','moved',NULL);
INSERT INTO event VALUES(5,'c0bc9712-9b06-4ee1-863d-2b7bbb9b26af',0,'SIGNED','BROADCAST','accepted',1796028489274,'a8d77ccc1d95a1796cdd0484d80a6286f4dc561a34023073b739e26a4e0e5038','f14d9746e5a20bac5336985d7f7852096ebe67bf061ee1b2db5d277fac7a5b04','moved',NULL);
INSERT INTO event VALUES(6,'c0bc9712-9b06-4ee1-863d-2b7bbb9b26af',0,'BROADCAST','INCLUDED','block 11',1796028489276,'f14d9746e5a20bac5336985d7f7852096ebe67bf061ee1b2db5d277fac7a5b04','dfa5835e7d70004e0533eba36c0d250ff3d511eeaaf2218ef487cacb9dc76db4','moved',NULL);
INSERT INTO event VALUES(7,'c0bc9712-9b06-4ee1-863d-2b7bbb9b26af',0,'INCLUDED','FINAL_OK','block 11, depth 1',1796028489284,'dfa5835e7d70004e0533eba36c0d250ff3d511eeaaf2218ef487cacb9dc76db4','911ab653cebf67d5db539770f9ca10713ecc7a9edd31b4c82f87d51d8bffd645','final','depth 1');
INSERT INTO event VALUES(8,'c0bc9712-9b06-4ee1-863d-2b7bbb9b26af',NULL,'EXECUTING','DONE','all steps are final',1796028489289,'911ab653cebf67d5db539770f9ca10713ecc7a9edd31b4c82f87d51d8bffd645','cbeb15d0214c8fa0e487d12c7b9ee243ac042691844c558641518ed7f0c5f8c7','moved',NULL);
CREATE TABLE head (chain_id INTEGER PRIMARY KEY, number INTEGER NOT NULL, hash TEXT NOT NULL, seen INTEGER NOT NULL) STRICT;
INSERT INTO head VALUES(31337,10,'0x1a9a766716f76994a8cd2bed39d62949970d684f54a50620eac5e91158cecefd',1796028489242);
CREATE TABLE hold (
    operation TEXT NOT NULL REFERENCES operation (id), asset TEXT NOT NULL, amount TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (operation, asset)
  ) STRICT, WITHOUT ROWID;
INSERT INTO hold VALUES('c0bc9712-9b06-4ee1-863d-2b7bbb9b26af','31337:0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0','5000000',1796028489240);
CREATE TABLE pin (
    chain_id INTEGER NOT NULL, address TEXT NOT NULL, code_hash TEXT NOT NULL, implementation TEXT, implementation_hash TEXT,
    at INTEGER NOT NULL, PRIMARY KEY (chain_id, address)
  ) STRICT, WITHOUT ROWID;
INSERT INTO pin VALUES(31337,'0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0','0x17a86c69467797575771f5e06173158bf7f0f6160410b1524920503c7a554022',NULL,NULL,1796028489207);
CREATE TABLE elsewhere (
    chain_id INTEGER NOT NULL, wallet TEXT NOT NULL, nonce INTEGER NOT NULL, nodes TEXT NOT NULL, said TEXT NOT NULL,
    hash TEXT, target TEXT, data TEXT, value TEXT, at INTEGER NOT NULL, PRIMARY KEY (chain_id, wallet, nonce)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE bitcoin_quote (
    idem_key TEXT PRIMARY KEY, request_hash TEXT NOT NULL, quote TEXT NOT NULL, at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
INSERT INTO bitcoin_quote VALUES('old-key-near','3bd6e978053b7b4f50b61ee7cabe7df4aa7a1894fc87d1b815d2b2d4b1b75ed1','{"raw":{"id":"b4eded80-06a1-43b6-b15b-c1e77367d889","quoteId":"b4eded80-06a1-43b6-b15b-c1e77367d889","originChain":"bitcoin","destinationChain":"sandbox-one","tokenIn":{"contract":"0x0000000000000000000000000000000000000000","symbol":"BTC","decimals":8,"amount":"1000000","chainId":8253038,"priceUSD":null},"tokenOut":{"contract":"0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0","symbol":"USDC","decimals":6,"amount":"897300000","chainId":31337,"priceUSD":"1"},"provider":"near-intents","deadline":1796042884,"deadlineDate":"2026-11-30T12:48:04.000Z","chainIdIn":8253038,"chainIdOut":31337,"rawQuote":{"deposit":{"address":"bcrt1qjmtkf3shnn47hpketucjg76cg7d94qt3c8fvdm","amount":"1000000","memo":null,"until":"2026-11-30T12:48:04.402Z","late":"A payment below the amount, or one that cannot be swapped, is refunded to bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080 after the deadline, less 0.000015 BTC. An excess is refunded after the swap. A payment after the deadline may be lost.","refundFee":"1500","uri":"bitcoin:bcrt1qjmtkf3shnn47hpketucjg76cg7d94qt3c8fvdm?amount=0.01"},"provider":{"asset":{"assetId":"nep141:sandbox-one-0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0.omft.near","decimals":6,"blockchain":"sandbox-one","symbol":"USDC","contractAddress":"0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0"},"answer":{"timestamp":"2026-11-30T08:48:04.420Z","signature":"ed25519:3NXLiv1LWTtfkiY7LfCqpfchc2JkSYy5hYDoC1ohGPLvqkjcxAT5FzQrs4YXwTsmkNJyZqeFxavErjDvSemDGJ6b","quoteRequest":{"dry":false,"swapType":"EXACT_INPUT","slippageTolerance":50,"originAsset":"1cs_v1:btc:native:coin","destinationAsset":"nep141:sandbox-one-0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0.omft.near","amount":"1000000","refundTo":"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080","recipient":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","deadline":"2026-11-30T12:48:04.402Z","depositType":"ORIGIN_CHAIN","refundType":"ORIGIN_CHAIN","recipientType":"DESTINATION_CHAIN"},"quote":{"amountIn":"1000000","amountInFormatted":"1000000","amountInUsd":"0","minAmountIn":"1000000","amountOut":"897300000","amountOutFormatted":"897300000","amountOutUsd":"0","minAmountOut":"892813500","timeEstimate":120,"depositAddress":"bcrt1qjmtkf3shnn47hpketucjg76cg7d94qt3c8fvdm","deadline":"2026-12-03T12:48:04.402Z","timeWhenInactive":"2026-12-03T12:48:04.402Z","refundFee":"1500"},"correlationId":"ccc498af-c2d2-4847-baad-8451ce3b919f"}},"earlier":[]},"status":"pending","feeSponsorship":false,"customer":"local","minAmountOut":"892813500","maxAmountIn":"1000000","slippage":0.005,"priceImpact":null,"estimatedGas":null,"gasCostUSD":null,"netAmountOut":null,"netAmountIn":null,"durationSeconds":120,"fees":[],"alternatives":[],"feeSponsorshipReason":null,"destinationAddress":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","refundAddress":"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"},"slippage":null,"destination":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}',1796028484530);
INSERT INTO bitcoin_quote VALUES('old-key-thor','ff0792ef3730a4c8d8defb7f7b35cdada85f79fd31e5a83ddb1ad3a126fe84c3','{"raw":{"id":"f57690c2-9e50-43d3-a3e6-d0e911ba026f","quoteId":"f57690c2-9e50-43d3-a3e6-d0e911ba026f","originChain":"bitcoin","destinationChain":"sandbox-one","tokenIn":{"contract":"0x0000000000000000000000000000000000000000","symbol":"BTC","decimals":8,"amount":"1000000","chainId":8253038,"priceUSD":null},"tokenOut":{"contract":"0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0","symbol":"USDC","decimals":6,"amount":"895500000","chainId":31337,"priceUSD":"1"},"provider":"thorchain","deadline":1796029386,"deadlineDate":"2026-11-30T09:03:06.000Z","chainIdIn":8253038,"chainIdOut":31337,"rawQuote":{"deposit":{"address":"bcrt1qumc2r7a58jy3jmw0e0hctyy0rx45chmu23n30m","amount":"1000000","memo":"=:SANDONE.USDC-6E0:0x70997970C51812dc3A010C7d01b50e0d17dc79C8:89102250000","until":"2026-11-30T09:03:06.000Z","late":"A swap that would return less than the minimum is refunded, less a fee, to the address that paid. Pay from your own address, not from an exchange and not from a taproot address (bc1p). A payment without the memo, or after the deadline, may be lost.","refundFee":"2500","uri":null},"provider":{"answer":{"dust_threshold":"10000","expected_amount_out":"89550000000","expiry":1796029386,"fees":{"affiliate":"0","asset":"SANDONE.USDC-0X9FE46736679D2D9A65F0992F2272DE9F3C7FA6E0","outbound":"0","total":"450000000","total_bps":50},"inbound_address":"bcrt1qumc2r7a58jy3jmw0e0hctyy0rx45chmu23n30m","inbound_confirmation_blocks":1,"inbound_confirmation_seconds":600,"memo":"=:SANDONE.USDC-6E0:0x70997970C51812dc3A010C7d01b50e0d17dc79C8:89102250000","notes":"First output should be to inbound_address, second output should be change back to self, third output should be OP_RETURN, limited to 80 bytes. Do not send below the dust threshold.","outbound_delay_blocks":1,"outbound_delay_seconds":6,"recommended_min_amount_in":"10000","slippage_bps":0,"total_swap_seconds":606,"warning":"Do not cache this response. Do not send funds after the expiry."}},"earlier":[]},"status":"pending","feeSponsorship":false,"customer":"local","minAmountOut":"891022500","maxAmountIn":"1000000","slippage":0.005,"priceImpact":null,"estimatedGas":null,"gasCostUSD":null,"netAmountOut":null,"netAmountIn":null,"durationSeconds":606,"fees":[],"alternatives":[],"feeSponsorshipReason":null,"destinationAddress":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","refundAddress":"bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"},"slippage":null,"destination":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}',1796028487151);
CREATE TABLE used_order (id TEXT PRIMARY KEY, owner TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO used_order VALUES('near-intents:bcrt1qjmtkf3shnn47hpketucjg76cg7d94qt3c8fvdm','quote b4eded80-06a1-43b6-b15b-c1e77367d889',1796028484524);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('event',8);
CREATE UNIQUE INDEX one_key_one_operation ON operation (idem_key) WHERE state <> 'DROPPED';
CREATE INDEX operation_by_wallet ON operation (wallet, created);
CREATE TRIGGER operation_state BEFORE UPDATE OF state ON operation WHEN OLD.state <> NEW.state
    AND NOT EXISTS (SELECT 1 FROM operation_move WHERE was = OLD.state AND becomes = NEW.state)
    BEGIN SELECT RAISE(ABORT, 'operation: no such move'); END;
CREATE TRIGGER operation_never_delete BEFORE DELETE ON operation
   BEGIN SELECT RAISE(ABORT, 'operation: what is written stays'); END;
CREATE TRIGGER leg_never_update BEFORE UPDATE OF operation, leg, chain_id, arrival_token, arrival_minimum, arrival_recipient ON leg
   BEGIN SELECT RAISE(ABORT, 'leg: what is written stays'); END;
CREATE TRIGGER leg_never_delete BEFORE DELETE ON leg
   BEGIN SELECT RAISE(ABORT, 'leg: what is written stays'); END;
CREATE UNIQUE INDEX one_nonce_one_step ON step (chain_id, wallet, nonce)
    WHERE nonce IS NOT NULL AND state <> 'SUPERSEDED';
CREATE TRIGGER step_state BEFORE UPDATE OF state ON step WHEN OLD.state <> NEW.state
    AND NOT EXISTS (SELECT 1 FROM step_move WHERE was = OLD.state AND becomes = NEW.state)
    BEGIN SELECT RAISE(ABORT, 'step: no such move'); END;
CREATE TRIGGER step_nonce BEFORE UPDATE OF nonce ON step
    WHEN OLD.nonce IS NOT NEW.nonce AND OLD.state NOT IN ('PLANNED', 'RESERVED')
    BEGIN SELECT RAISE(ABORT, 'step: one nonce for its whole life'); END;
CREATE TRIGGER step_never_update BEFORE UPDATE OF operation, idx, leg, chain_id, wallet, role, text, target, value, data ON step
   BEGIN SELECT RAISE(ABORT, 'step: what is written stays'); END;
CREATE TRIGGER attempt_is_its_step BEFORE INSERT ON attempt WHEN NOT EXISTS (
    SELECT 1 FROM step WHERE step.operation = NEW.operation AND step.idx = NEW.idx AND step.nonce = NEW.nonce
      AND step.chain_id = NEW.chain_id AND step.state <> 'PLANNED' AND (NEW.kind = 'cancel'
      OR (step.target = NEW.target AND step.value = NEW.value AND step.data = NEW.data)))
    BEGIN SELECT RAISE(ABORT, 'attempt: it is not its step'); END;
CREATE TRIGGER attempt_of_a_living_operation BEFORE INSERT ON attempt WHEN NEW.kind <> 'cancel' AND NOT EXISTS (
    SELECT 1 FROM operation WHERE id = NEW.operation AND state IN ('OPEN', 'EXECUTING'))
    BEGIN SELECT RAISE(ABORT, 'attempt: its operation is closed'); END;
CREATE TRIGGER attempt_never_update BEFORE UPDATE OF hash, operation, idx, raw, kind, chain_id, nonce, target, value, data, gas, max_fee, max_priority, created ON attempt
   BEGIN SELECT RAISE(ABORT, 'attempt: what is written stays'); END;
CREATE TRIGGER attempt_never_delete BEFORE DELETE ON attempt
   BEGIN SELECT RAISE(ABORT, 'attempt: what is written stays'); END;
CREATE TRIGGER event_never_delete BEFORE DELETE ON event
   BEGIN SELECT RAISE(ABORT, 'event: what is written stays'); END;
CREATE INDEX hold_by_asset ON hold (asset, at);
CREATE TRIGGER hold_never_update BEFORE UPDATE ON hold
   BEGIN SELECT RAISE(ABORT, 'hold: what is written stays'); END;
CREATE TRIGGER hold_never_delete BEFORE DELETE ON hold
   BEGIN SELECT RAISE(ABORT, 'hold: what is written stays'); END;
CREATE TRIGGER pin_never_delete BEFORE DELETE ON pin
   BEGIN SELECT RAISE(ABORT, 'pin: what is written stays'); END;
CREATE TRIGGER step_never_delete BEFORE DELETE ON step
    WHEN OLD.state <> 'PLANNED' OR EXISTS (SELECT 1 FROM attempt WHERE operation = OLD.operation AND idx = OLD.idx)
    BEGIN SELECT RAISE(ABORT, 'step: what was signed stays'); END;
CREATE TRIGGER step_of_a_living_operation BEFORE INSERT ON step WHEN NOT EXISTS (
    SELECT 1 FROM operation WHERE id = NEW.operation AND state IN ('OPEN', 'EXECUTING', 'PARTIAL', 'ATTENTION'))
    BEGIN SELECT RAISE(ABORT, 'step: its operation is closed'); END;
CREATE TRIGGER operation_never_update BEFORE UPDATE OF id, idem_key, request_hash, request, kind, wallet, created ON operation
   BEGIN SELECT RAISE(ABORT, 'operation: what is written stays'); END;
CREATE TRIGGER operation_plan BEFORE UPDATE OF plan ON operation
    WHEN OLD.state NOT IN ('OPEN', 'EXECUTING', 'PARTIAL', 'ATTENTION')
    BEGIN SELECT RAISE(ABORT, 'operation: it is closed'); END;
CREATE INDEX event_by_operation ON event (operation, seq);
CREATE TRIGGER operation_reopens BEFORE UPDATE OF state ON operation
    WHEN OLD.state = 'CANCELLED' AND NEW.state = 'EXECUTING' AND OLD.exit IS NOT 24
    BEGIN SELECT RAISE(ABORT, 'operation: it was given up'); END;
CREATE TRIGGER bitcoin_quote_never_update BEFORE UPDATE ON bitcoin_quote
   BEGIN SELECT RAISE(ABORT, 'bitcoin_quote: what is written stays'); END;
CREATE TRIGGER bitcoin_quote_never_delete BEFORE DELETE ON bitcoin_quote
   BEGIN SELECT RAISE(ABORT, 'bitcoin_quote: what is written stays'); END;
CREATE TRIGGER one_key_one_request BEFORE INSERT ON operation
    WHEN EXISTS (SELECT 1 FROM bitcoin_quote WHERE idem_key = NEW.idem_key)
    BEGIN SELECT RAISE(ABORT, 'operation: its key has a quote of a swap from Bitcoin'); END;
CREATE TRIGGER used_order_never_update BEFORE UPDATE ON used_order
   BEGIN SELECT RAISE(ABORT, 'used_order: what is written stays'); END;
CREATE TRIGGER used_order_never_delete BEFORE DELETE ON used_order
    WHEN NOT EXISTS (SELECT 1 FROM operation WHERE id = OLD.owner AND state = 'DROPPED')
    BEGIN SELECT RAISE(ABORT, 'used_order: what is written stays'); END;
CREATE TRIGGER dropped_operation_frees_its_orders AFTER UPDATE OF state ON operation WHEN NEW.state = 'DROPPED'
    BEGIN DELETE FROM used_order WHERE owner = NEW.id; END;
CREATE TRIGGER event_never_update BEFORE UPDATE ON event
   BEGIN SELECT RAISE(ABORT, 'event: what is written stays'); END;
COMMIT;
