recipe = icllib.Recipe(range(1, 11), steps=2500, batch=64, learning_rate=5e-3, schedule="cosine", warmup=0.05)
model = icllib.Transformer(layers=2, heads=2, width=16)
