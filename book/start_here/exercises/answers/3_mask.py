def causal(n):
    return torch.ones(n, n, dtype=torch.bool).tril()

def prefix(n):
    return torch.ones(n, n, dtype=torch.bool)

def leave_one_out(n):
    return ~torch.eye(n, dtype=torch.bool)
