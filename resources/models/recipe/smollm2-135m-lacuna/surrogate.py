"""The surrogate of reconstruction scores of the model in the box. Usage: surrogate.py MODEL.gguf TEXTS.json OUT.surrogate.safetensors FINGERPRINT
TEXTS.json: {"chunks": [[ids]...], "pre": [ids that open a message of the person's], "ins": [ids of the instruction to repeat]}. The texts were
a glossary, a handbook, manual pages, Python sources, sayings and invented records, 732,900 tokens in chunks of 700 and 1,400; none of the
dialogues, books and articles that anything is measured with. Needs PyTorch; a minute on an H100."""
import json, struct, sys
import numpy as np, torch, torch.nn.functional as F
from gguf_file import read
torch.set_grad_enabled(False); torch.backends.cuda.matmul.allow_tf32 = False
dev = 'cuda' if torch.cuda.is_available() else 'cpu'

def decoded(b, kind, shape):
    n = int(np.prod(shape))
    if kind == 0: return np.frombuffer(b, np.float32, n).reshape(shape).copy()
    if kind == 8:
        x = np.frombuffer(b, np.dtype([('d', '<f2'), ('q', 'i1', 32)]), n // 32)
        return (x['q'].astype(np.float32) * x['d'].astype(np.float32)[:, None]).reshape(shape)
    x = np.frombuffer(b, np.dtype([('d', '<f2'), ('m', '<f2'), ('q', 'u1', 16)]), n // 32)
    q = np.concatenate([x['q'] & 15, x['q'] >> 4], 1).astype(np.float32)
    return (q * x['d'].astype(np.float32)[:, None] + x['m'].astype(np.float32)[:, None]).reshape(shape)

b, kv, tensors, start = read(sys.argv[1]); texts = json.load(open(sys.argv[2]))
g = lambda key, other=None: kv.get('llama.' + key, (0, other))[1]
D, L, H, KV = g('embedding_length'), g('block_count'), g('attention.head_count'), g('attention.head_count_kv')
HD, G, EPS = D // H, H // KV, g('attention.layer_norm_rms_epsilon')
size = {0: lambda n: 4 * n, 8: lambda n: n // 32 * 34, 3: lambda n: n // 32 * 20}
W = {n: torch.tensor(decoded(b[start + o:start + o + size[t](int(np.prod(d)))], t, tuple(reversed(d)))).to(dev) for n, d, t, o in tensors}
angle = torch.outer(torch.arange(8192, device=dev).float(), 1 / g('rope.freq_base') ** (torch.arange(0, HD, 2, device=dev).float() / HD))
C, S = angle.cos(), angle.sin()
rms = lambda x, w: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + EPS) * w

def rotated(a):
    c, s = C[:len(a), None], S[:len(a), None]; x, y = a[..., 0::2], a[..., 1::2]
    return torch.stack([x * c - y * s, x * s + y * c], -1).flatten(-2)

def measured(text):
    """What each layer reads of the text [L, n, D], and u [L, KV, n] of its repetition."""
    n = len(text); x = W['token_embd.weight'][torch.tensor(text + texts['ins'] + text, device=dev)]; inputs = []; shares = []
    for l in range(L):
        p = f'blk.{l}.'; h = rms(x, W[p + 'attn_norm.weight']); T = len(x)
        q = rotated((h @ W[p + 'attn_q.weight'].T).view(T, H, HD)); k = rotated((h @ W[p + 'attn_k.weight'].T).view(T, KV, HD)).repeat_interleave(G, 1)
        v = (h @ W[p + 'attn_v.weight'].T).view(T, KV, HD).repeat_interleave(G, 1)
        a = torch.einsum('thd,nhd->htn', q, k) / HD ** .5
        a = a.masked_fill(torch.arange(T, device=dev)[None] > torch.arange(T, device=dev)[:, None], -1e30).softmax(-1)
        shares.append(a[:, n + len(texts['ins']):, :n].amax(1).view(KV, G, n).amax(1)); inputs.append(h[:n])
        x = x + torch.einsum('htn,nhd->thd', a, v).reshape(T, -1) @ W[p + 'attn_output.weight'].T
        h = rms(x, W[p + 'ffn_norm.weight']); x = x + (F.silu(h @ W[p + 'ffn_gate.weight'].T) * (h @ W[p + 'ffn_up.weight'].T)) @ W[p + 'ffn_down.weight'].T
    return torch.stack(inputs), torch.stack(shares)

gram = torch.zeros(L, D + 1, D + 1, dtype=torch.float64, device=dev); right = torch.zeros(L, D + 1, KV, dtype=torch.float64, device=dev); count = 0
for chunk in texts['chunks']:
    inputs, shares = measured(texts['pre'] + chunk); inputs, shares = inputs[:, 4:-4], shares[:, :, 4:-4]; count += len(chunk)
    rows = torch.cat([inputs, torch.ones(L, inputs.shape[1], 1, device=dev)], -1).double()
    gram += rows.transpose(1, 2) @ rows; right += rows.transpose(1, 2) @ shares.clamp_min(1e-6).log().double().transpose(1, 2)
gram += torch.eye(D + 1, device=dev, dtype=torch.float64) * 1e-3 * gram.diagonal(dim1=1, dim2=2).mean(-1)[:, None, None]
found = torch.linalg.solve(gram, right).float().cpu().numpy()
weight = np.ascontiguousarray(found[:, :D].transpose(0, 2, 1)); bias = np.ascontiguousarray(found[:, D])
header = json.dumps({'__metadata__': {'format': 'lacuna-reconstruction-surrogate-1', 'fingerprint': sys.argv[4], 'model': kv['general.name'][1],
                                      'how': f'ridge regression on {count:,} tokens of text, each repeated once'},
                     'weight': {'dtype': 'F32', 'shape': list(weight.shape), 'data_offsets': [0, weight.nbytes]},
                     'bias': {'dtype': 'F32', 'shape': list(bias.shape), 'data_offsets': [weight.nbytes, weight.nbytes + bias.nbytes]}}, separators=(',', ':'))
header += ' ' * (-len(header) % 8)
open(sys.argv[3], 'wb').write(struct.pack('<Q', len(header)) + header.encode() + weight.tobytes() + bias.tobytes())
