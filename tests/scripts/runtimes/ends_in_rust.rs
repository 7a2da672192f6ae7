// SPDX-License-Identifier: MIT
use std::ffi::{c_char, CString};

extern "C" {
    fn ends_open();
    fn ends_by(how: *const c_char);
}

#[allow(unconditional_recursion)]
#[inline(never)]
fn overflow(depth: usize) -> usize {
    let block = [depth; 512];
    std::hint::black_box(&block);
    overflow(depth + 1) + block[3]
}

fn main() {
    let how = std::env::args().nth(1).unwrap();
    unsafe {
        ends_open();
        ends_by(CString::new(how.clone()).unwrap().as_ptr());
    }
    match how.as_str() {
        "overflow" => println!("{}", overflow(0)),
        "raise" => panic!("nobody catches this"),
        "exit" => std::process::exit(3),
        "close" => return,
        _ => std::thread::sleep(std::time::Duration::from_secs(20)),
    }
}
