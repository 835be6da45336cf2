import os
os.environ["XLA_FLAGS"]="--xla_force_host_platform_device_count=8"
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import PartitionSpec as P, NamedSharding
import shardwise.jax as sj
mesh=jax.make_mesh((4,2),("x","y"))
S=lambda *p: NamedSharding(mesh,P(*p))
def f(a,b,k):
    h=jax.nn.gelu(a@b)
    u,s,vt=jnp.linalg.svd(b[:5,:5])
    q=jax.random.normal(k,h.shape)
    return {"o":h+q,"s":s,"t":jnp.sort(h,axis=0)}
a=np.random.randn(13,16).astype("f"); b=np.random.randn(16,10).astype("f"); k=jax.random.key(0)
for eng in ("xla","local"):
    try:
        g=sj.jit(f,in_shardings=(S(),S(None,"y"),None),engine=eng)
        r=g(a,b,k)
        e=jax.jit(f)(a,b,k)
        for n in e: print(eng,n,np.abs(np.asarray(r[n])-np.asarray(e[n])).max(), r[n].sharding.spec if hasattr(r[n].sharding,"spec") else r[n].sharding)
    except Exception as ex:
        print(eng,type(ex).__name__,str(ex)[:600])
# errors
for args in [dict(in_shardings=(S("x"),S(),None)),dict(in_shardings=(S("x"),)),dict(in_shardings=(S(None,"z"),S(),None)) if 0 else dict(engine="foo")]:
    try:
        sj.jit(f,**args)(a,b,k); print("ok")
    except Exception as ex: print(type(ex).__name__, str(ex)[:500])
print(sj.jit(f,in_shardings=(S(),S(None,"y"),None)).explain(a,b,k) if hasattr(sj.jit(f),"explain") else "")
