"""What Hugging Face transformers computes for the pilot model: recall, greedy answers, logits, perplexity.
Usage: reference.py DATA_DIR OUT_DIR   (DATA_DIR holds the folder pilot, recall-dev.json, recall-held.json and wiki.test.raw)"""
import sys, json, torch, numpy as np, time
import transformers as tf
c, out = sys.argv[1:3]; torch.set_grad_enabled(False)
tok = tf.AutoTokenizer.from_pretrained(c + "/pilot"); m = tf.AutoModelForCausalLM.from_pretrained(c + "/pilot", dtype=torch.float32).cuda().eval()
torch.backends.cuda.matmul.allow_tf32 = False
for name in ("dev", "held"):
    cases = json.load(open(f"{c}/recall-{name}.json")); rows = []; by = {}
    for x in cases:
        text = tok.apply_chat_template(x["messages"], tokenize=False, add_generation_prompt=True)
        ids = tok(text, add_special_tokens=False, return_tensors="pt").input_ids.cuda()
        y = m.generate(ids, max_new_tokens=28, do_sample=False, eos_token_id=2, pad_token_id=0)[0, ids.shape[1]:].tolist()
        s = tok.decode(y, skip_special_tokens=True); ok = x["key"] in s; k = f"{x['kind']}@{x['approx_tokens']}"; by.setdefault(k, []).append(ok)
        rows.append({"prompt_tokens": ids.shape[1], "greedy_ids": y, "text": s, "hit": ok})
    table = {k: sum(v) / len(v) for k, v in by.items()}; table["all"] = sum(r["hit"] for r in rows) / len(rows)
    print(name, json.dumps(table)); json.dump({"transformers": tf.__version__, "float32": True, "recall": table, "rows": rows}, open(f"{out}/recall-{name}-reference.json", "w"))
g = []
for p in ("Once upon a time there was a", "The pass key is 48213. Remember it.\n\nWhat is the pass key?", "<|im_start|>user\nWhere does Maria live?<|im_end|>\n<|im_start|>assistant\n"):
    ids = tok(p, add_special_tokens=False).input_ids; lg = m(torch.tensor([ids]).cuda()).logits[0, -1].float().cpu(); top = lg.topk(8)
    g.append({"text": p, "ids": ids, "top_ids": top.indices.tolist(), "top_logits": [round(v, 5) for v in top.values.tolist()], "logsumexp": round(float(lg.logsumexp(0)), 5)})
ids = tok(open(c + "/wiki.test.raw").read(), add_special_tokens=False).input_ids; nll = []; W = 1024
for a in range(0, (len(ids) // W) * W, W):
    x = torch.tensor([ids[a:a + W]]).cuda(); l = torch.log_softmax(m(x).logits[0, :-1].float(), -1); nll.append(-l.gather(1, x[0, 1:, None]).sum().item())
n = len(nll) * (W - 1)
ref = {"logits": g, "wikitext2_test": {"tokens": len(ids), "window": W, "windows": len(nll), "predicted": n, "mean_nll": sum(nll) / n, "perplexity": float(np.exp(sum(nll) / n)), "how": "consecutive windows of 1024 tokens, no overlap, no added tokens, every token but the first of a window predicted, float32"}}
json.dump(ref, open(out + "/pilot-reference.json", "w"), indent=1); print(ref["wikitext2_test"]); print(g[1])
