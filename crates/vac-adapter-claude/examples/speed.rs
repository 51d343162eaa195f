//! speed FILE
use vac_adapter::frame::{Content, Frames};
use vac_adapter::session::{self, Options};
use vac_adapter::{Adapter, Memory};
use vac_value::Encoding;

fn cpu() -> f64 {
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse::<f64>()
        .unwrap()
        / 1e9
}
fn best(mut f: impl FnMut()) -> f64 {
    let mut n = 0;
    let t = cpu();
    while cpu() - t < 0.6 {
        f();
        n += 1;
    }
    (cpu() - t) / f64::from(n)
}

fn main() {
    let path = std::env::args().nth(1).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let mut frames = Vec::new();
    Frames::new(&bytes[..])
        .each(|f| {
            if let Content::Document(d) = &f.content {
                frames.push(d.root().raw().to_vec());
            }
            Ok::<_, std::io::Error>(())
        })
        .unwrap();
    let serde = best(|| {
        for f in &frames {
            std::hint::black_box(serde_json::from_slice::<serde_json::Value>(f).unwrap());
        }
    });
    let input = Memory { name: "x.jsonl", bytes: &bytes };
    let framing = best(|| {
        Frames::new(&bytes[..]).each(|_| Ok::<_, std::io::Error>(())).unwrap();
    });
    let survey = best(|| {
        vac_adapter_claude::Claude.survey(&input).unwrap();
    });
    let run = |encoding, validate| {
        best(|| {
            let options = Options { encoding, validate, ..Options::default() };
            let mut out = Vec::new();
            for s in vac_adapter_claude::Claude.survey(&input).unwrap() {
                session::write(&*s, &options, &mut out).unwrap();
            }
            std::hint::black_box(&out);
        })
    };
    let mb = bytes.len() as f64 / 1e6;
    println!("{} {mb:.2} MB serde {:.0} MB/s", path.rsplit('/').next().unwrap(), mb / serde);
    for (n, t) in [
        ("framing", framing),
        ("survey", survey),
        ("json", run(Encoding::Json, true)),
        ("json unchecked", run(Encoding::Json, false)),
        ("cbor", run(Encoding::Cbor, true)),
        ("cbor unchecked", run(Encoding::Cbor, false)),
    ] {
        println!("  {n}: {:.0} MB/s ratio {:.2}", mb / t, t / serde);
    }
}
